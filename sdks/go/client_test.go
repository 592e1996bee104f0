package surety

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const testKey = "sk_test_abcdefghijklmnop"

const refundJSON = `{"merchantId":"merchant_1","refundId":"refund_1","transactionId":"payment_1","amount":1000.5,
	"currency":"NGN","status":"COMPLETED","items":[{"amount":1000.50,"currency":"NGN"}]}`

// A sent request, with its body read.
type sent struct {
	*http.Request
	body string
}

// A fakeService gives outcomes in order, without a network and without real waits.
type fakeService struct {
	t        *testing.T
	outcomes []any
	sent     []sent
	waits    []time.Duration
	retried  []Retry
	client   *Client
}

func (s *fakeService) RoundTrip(request *http.Request) (*http.Response, error) {
	var body []byte
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
	}
	s.sent = append(s.sent, sent{request, string(body)})
	if len(s.outcomes) == 0 {
		s.t.Fatal("one request too many")
	}
	next := s.outcomes[0]
	s.outcomes = s.outcomes[1:]
	switch outcome := next.(type) {
	case error:
		return nil, outcome
	case func(*http.Request) error:
		return nil, outcome(request)
	}
	return next.(*http.Response), nil
}

// A transport that had a connection, as the tracer of net/http says.
func lost(request *http.Request) error {
	tracer(request).GotConn(gotConn)
	return errors.New("reset")
}

func late(request *http.Request) error {
	tracer(request).GotConn(gotConn)
	<-request.Context().Done()
	return request.Context().Err()
}

func newService(t *testing.T, outcomes ...any) *fakeService {
	t.Helper()
	s := &fakeService{t: t, outcomes: outcomes}
	client, err := New(testKey, "https://pay.example/v1", Transport(s), OnRetry(func(retry Retry) { s.retried = append(s.retried, retry) }))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	client.Refunds.send.runtime = runtime{
		now: func() time.Time { return now },
		sleep: func(_ context.Context, wait time.Duration) error {
			s.waits = append(s.waits, wait)
			now = now.Add(wait)
			return nil
		},
		random: func() float64 { return 0.5 },
	}
	s.client = client
	return s
}

func answer(status int, body string, header ...string) *http.Response {
	fields := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Request-Id": {"req_1"}}
	for index := 0; index+1 < len(header); index += 2 {
		fields.Set(header[index], header[index+1])
	}
	return &http.Response{StatusCode: status, Header: fields, Body: io.NopCloser(strings.NewReader(body))}
}

func problem(status int, code, more string, header ...string) *http.Response {
	body := fmt.Sprintf(`{"type":"t","title":"A title","status":%d,"detail":"A detail.","instance":"/","code":%q,"requestId":"r"%s}`, status, code, more)
	return answer(status, body, append(header, "Content-Type", "application/problem+json")...)
}

func repeated(outcome func() any, times int) (all []any) {
	for len(all) < times {
		all = append(all, outcome())
	}
	return all
}

func same(t *testing.T, expected, found any) {
	t.Helper()
	if one, other := fmt.Sprint(expected), fmt.Sprint(found); one != other {
		t.Errorf("expected %s, got %s", one, other)
	}
}

var background = context.Background()

func TestARefundIsSentAndReadWithoutFloats(t *testing.T) {
	s := newService(t, answer(201, refundJSON))
	refund, err := s.client.Refunds.Create(background, RefundsCreateParams{
		TransactionID:  "payment_1",
		Amount:         Ptr(MustAmount("1000.50")),
		Items:          []RefundItemRequest{{Amount: MustAmount("1000.50")}},
		IdempotencyKey: "k 1",
	})
	if err != nil {
		t.Fatal(err)
	}
	request := s.sent[0]
	same(t, "POST https://pay.example/v1/refunds", request.Method+" "+request.URL.String())
	same(t, `{"transaction_id":"payment_1","amount":1000.5,"items":[{"amount":1000.5}]}`, request.body)
	same(t, "Bearer "+testKey+" k 1", request.Header.Get("Authorization")+" "+request.Header.Get("Idempotency-Key"))
	same(t, "1000.5 1000.50 201 req_1 1", fmt.Sprint(refund.Amount, " ", refund.Items[0].Amount, " ", refund.Reply.Status, " ", refund.Reply.RequestID, " ", refund.Reply.Attempts))
	minor, _ := refund.Items[0].Amount.Minor(2)
	same(t, 100050, minor)
}

func TestAnAmountByMistakeIsRefusedBeforeAnythingIsSent(t *testing.T) {
	s := newService(t)
	var wrong *UsageError
	_, err := s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1", Amount: &Amount{}})
	same(t, true, errors.As(err, &wrong))
	_, err = s.client.TestHelpers.CreatePayment(background, TestHelpersCreatePaymentParams{ServiceID: "SR1"})
	same(t, true, errors.As(err, &wrong))
	_, err = s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1", Items: []RefundItemRequest{}})
	same(t, true, errors.As(err, &wrong))
	wrong = nil
	_, err = s.client.Identity.Read(background, IdentityReadParams{ServiceID: "SR1", Fields: []string{}})
	same(t, true, errors.As(err, &wrong))
}

func TestACommandWithoutAFieldIsSentAsAnEmptyObject(t *testing.T) {
	s := newService(t, answer(201, refundJSON))
	if _, err := s.client.Refunds.Create(background, RefundsCreateParams{}); err != nil {
		t.Fatal(err)
	}
	same(t, "{}", s.sent[0].body)
}

func TestRetriesReuseKeyAndBytes(t *testing.T) {
	s := newService(t, problem(503, "unavailable", "", "Retry-After", "2"), lost, answer(201, refundJSON))
	refund, err := s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1"})
	if err != nil {
		t.Fatal(err)
	}
	keys, bodies, ids := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, request := range s.sent {
		keys[request.Header.Get("Idempotency-Key")], bodies[request.body], ids[request.Header.Get("X-Request-Id")] = true, true, true
	}
	same(t, "1 1 3 3", fmt.Sprint(len(keys), len(bodies), len(ids), refund.Reply.Attempts))
	same(t, []time.Duration{2250 * time.Millisecond, 500 * time.Millisecond}, s.waits)
	var call *CallError
	same(t, true, errors.As(s.retried[1].Err, &call) && call.MayHaveTakenEffect)
}

func TestALostResponseLeavesTheOutcomeOpenUntilARejectionSettlesIt(t *testing.T) {
	s := newService(t, late, late)
	_, err := s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1", IdempotencyKey: "mine"}, Timeout(time.Millisecond), MaxRetries(1))
	var timedOut *TimedOutError
	if !errors.As(err, &timedOut) {
		t.Fatal(err)
	}
	same(t, "true mine 2", fmt.Sprint(timedOut.MayHaveTakenEffect, " ", timedOut.IdempotencyKey, " ", timedOut.Attempts))
	s = newService(t, lost, problem(400, CodePaymentNotSettled, ""))
	_, err = s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1"})
	var call *CallError
	same(t, "payment_not_settled true false", fmt.Sprint(ErrorCode(err), " ", errors.As(err, &call), " ", call.MayHaveTakenEffect))
}

func TestWhatHasNoKeyIsRepeatedOnlyIfItWasNotSent(t *testing.T) {
	var connection *ConnectionError
	_, err := newService(t, lost).client.TestHelpers.CreateConsumer(background, TestHelpersCreateConsumerParams{})
	same(t, "true true 1", fmt.Sprint(errors.As(err, &connection), connection.MayHaveTakenEffect, connection.Attempts))
	refused := func() any { return errors.New("refused") }
	_, err = newService(t, repeated(refused, 4)...).client.TestHelpers.CreateConsumer(background, TestHelpersCreateConsumerParams{})
	same(t, "true false 4", fmt.Sprint(errors.As(err, &connection), connection.MayHaveTakenEffect, connection.Attempts))
}

func TestProblemsHaveCodeMembersAndFaults(t *testing.T) {
	more := `,"refundable":10.5,"errors":[{"pointer":"#/amount","detail":"Too much","code":"too_much"}]`
	s := newService(t, problem(400, CodeAmountExceedsRefundable, more))
	_, err := s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1", Amount: Ptr(MustAmount("11"))})
	var service *ServiceError
	if !errors.As(err, &service) {
		t.Fatal(err)
	}
	same(t, "amount_exceeds_refundable 400 10.5 #/amount", fmt.Sprint(service.Code, " ", service.Status, " ", service.Problem.Refundable, " ", service.Faults[0].Pointer))
}

func TestAnswersThatAreNotTheServices(t *testing.T) {
	var unexpected *UnexpectedAnswerError
	for _, other := range []*http.Response{
		answer(200, "<html>", "Content-Type", "text/html"),
		answer(302, "", "Location", "https://evil.example"),
		answer(404, `{"a":1}`),
		answer(400, `[]`),
	} {
		_, err := newService(t, other).client.Refunds.Get(background, "refund_1")
		same(t, true, errors.As(err, &unexpected))
	}
	busy := answer(503, "<html>", "Content-Type", "text/html", "Retry-After", "70")
	_, err := newService(t, busy).client.Refunds.Get(background, "refund_1")
	same(t, true, errors.As(err, &unexpected))
	same(t, 70*time.Second, *unexpected.RetryAfter)
	for _, body := range []string{`{"refundId":`, `[]`, `{"refundId":7}`, "{}\xff", strings.Repeat("[", maxAnswerBytes+1)} {
		s := newService(t, repeated(func() any { return answer(201, body) }, 4)...)
		_, err := s.client.Refunds.Create(background, RefundsCreateParams{TransactionID: "payment_1"})
		same(t, "true true 4", fmt.Sprint(errors.As(err, &unexpected), unexpected.MayHaveTakenEffect, unexpected.Attempts))
	}
}

func TestListsWalkTheirPages(t *testing.T) {
	list := func(cursor string, ids ...string) any {
		var data []string
		for _, id := range ids {
			data = append(data, fmt.Sprintf(`{"refundId":%q,"amount":1}`, id))
		}
		next := ""
		if cursor != "" {
			next = fmt.Sprintf(`,"nextCursor":%q`, cursor)
		}
		return answer(200, `{"data":[`+strings.Join(data, ",")+`]`+next+`}`)
	}
	s := newService(t, list("a", "1", "2"), list("b"), list("", "3"))
	refunds := s.client.Refunds.List(RefundsListParams{TransactionID: "payment_1", Limit: Ptr(int64(2))})
	var ids []string
	for refunds.Next(background) {
		ids = append(ids, refunds.Value().RefundID)
	}
	same(t, "[1 2 3] <nil>", fmt.Sprint(ids, refunds.Err()))
	same(t, "cursor=a&limit=2&transaction_id=payment_1", s.sent[1].URL.RawQuery)
	var round []any
	for len(round) < 8 {
		round = append(round, list("a", "1"), list("b", "2"))
	}
	refunds = newService(t, round...).client.Refunds.List(RefundsListParams{})
	for refunds.Next(background) {
	}
	same(t, true, refunds.Err() != nil)
	// A list to poll keeps its cursor at its end.
	polled := newService(t, list("a", "1"), list("b", "2"), list("b")).client.Refunds.List(RefundsListParams{})
	count := 0
	for polled.Next(background) {
		count++
	}
	same(t, "2 <nil>", fmt.Sprint(count, polled.Err()))
}

func TestListsInAQueryHaveCommas(t *testing.T) {
	s := newService(t, answer(200, `{"serviceId":"SR1","fields":{"email":null},"notApproved":{"country":"pending"}}`))
	identity, err := s.client.Identity.Read(background, IdentityReadParams{ServiceID: "SR1", Fields: []string{"display_name", "email"}})
	same(t, "<nil> pending null", fmt.Sprint(err, " ", identity.NotApproved["country"], " ", string(identity.Fields["email"])))
	same(t, "fields=display_name%2Cemail&service_id=SR1", s.sent[0].URL.RawQuery)
}

func TestDeadlineAndContextEndACall(t *testing.T) {
	busy := func() any { return problem(503, "unavailable", "", "Retry-After", "40") }
	s := newService(t, repeated(busy, 9)...)
	_, err := s.client.Account.Whoami(background, Deadline(100*time.Second), MaxRetries(9))
	same(t, "unavailable 3", fmt.Sprint(ErrorCode(err), " ", len(s.sent)))
	ended, cancel := context.WithCancel(background)
	cancel()
	s = newService(t, func(request *http.Request) error { return request.Context().Err() })
	_, err = s.client.Account.Whoami(ended)
	same(t, true, errors.Is(err, context.Canceled))
	for _, wrong := range []Option{Timeout(0), Deadline(-1), MaxRetries(21)} {
		var usage *UsageError
		_, err := s.client.Account.Whoami(background, wrong)
		same(t, true, errors.As(err, &usage))
	}
}

func TestNothingShowsTheKey(t *testing.T) {
	s := newService(t, errors.New("proxy said "+testKey))
	_, err := s.client.Refunds.Get(background, "refund_1", MaxRetries(0))
	type application struct{ client *Client }
	text, _ := json.Marshal(s.client)
	shown := string(text)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		shown += fmt.Sprintf(verb, s.client) + fmt.Sprintf(verb, *s.client) + fmt.Sprintf(verb, application{s.client})
		shown += fmt.Sprintf(verb, *s.client.Refunds.send) + fmt.Sprintf(verb, err)
	}
	_, err = New(testKey+"\n", "https://pay.example")
	if shown += err.Error(); strings.Contains(shown, testKey) {
		t.Error(shown)
	}
}

func TestTheRealTransport(t *testing.T) {
	call := func(handle http.HandlerFunc, options ...Option) error {
		server := httptest.NewServer(handle)
		defer server.Close()
		client, err := New(testKey, server.URL, append(options, MaxRetries(0))...)
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.TestHelpers.CreateConsumer(background, TestHelpersCreateConsumerParams{})
		return err
	}
	var report *CallError
	hangUp := func(writer http.ResponseWriter, _ *http.Request) {
		connection, _, _ := writer.(http.Hijacker).Hijack()
		connection.Close()
	}
	same(t, "true true", fmt.Sprint(errors.As(call(hangUp), &report), " ", report.MayHaveTakenEffect))
	cut := func(writer http.ResponseWriter, _ *http.Request) {
		connection, buffer, _ := writer.(http.Hijacker).Hijack()
		_, _ = buffer.WriteString("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
		_ = buffer.Flush()
		connection.Close()
	}
	same(t, "true true", fmt.Sprint(errors.As(call(cut), &report), " ", report.MayHaveTakenEffect))
	trickle := func(writer http.ResponseWriter, request *http.Request) {
		writer.Header().Set("Content-Type", "application/json")
		for request.Context().Err() == nil {
			_, _ = writer.Write([]byte(" "))
			writer.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}
	var timedOut *TimedOutError
	same(t, true, errors.As(call(trickle, Timeout(200*time.Millisecond)), &timedOut))
	redirect := func(writer http.ResponseWriter, request *http.Request) {
		if bytes.Contains([]byte(request.URL.Path), []byte("elsewhere")) {
			t.Error("the redirect was followed")
		}
		http.Redirect(writer, request, "/elsewhere", http.StatusTemporaryRedirect)
	}
	var unexpected *UnexpectedAnswerError
	same(t, true, errors.As(call(redirect), &unexpected))

	listener, _ := net.Listen("tcp", "127.0.0.1:0")
	address := listener.Addr().String()
	listener.Close()
	client, _ := New(testKey, "http://"+address, MaxRetries(0))
	_, err := client.TestHelpers.CreateConsumer(background, TestHelpersCreateConsumerParams{})
	same(t, "true false", fmt.Sprint(errors.As(err, &report), " ", report.MayHaveTakenEffect))
}
