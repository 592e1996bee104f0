package webhooks

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	surety "surety.example/surety-go"
)

type deliveryVector struct {
	Name             string
	Body             json.RawMessage
	Headers          [][2]string
	Secrets          []string
	Now              int64
	ToleranceSeconds *int64
	Reason           string
	Event            *struct {
		ID          string
		Topic       string
		Known       bool
		Environment string
		Test        bool
		Attempt     int
		Timestamp   int64
		Amount      string
		RefundID    string
	}
}

func (v deliveryVector) body(t *testing.T) []byte {
	t.Helper()
	var text string
	if json.Unmarshal(v.Body, &text) == nil {
		return []byte(text)
	}
	var made struct {
		Base64, Before, Repeat, After string
		Times                         int
	}
	if err := json.Unmarshal(v.Body, &made); err != nil {
		t.Fatal(err)
	}
	if made.Repeat != "" {
		return []byte(made.Before + strings.Repeat(made.Repeat, made.Times) + made.After)
	}
	content, err := base64.StdEncoding.DecodeString(made.Base64)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryVector(t *testing.T) {
	var file struct{ Vectors []deliveryVector }
	readJSON(t, "../../vectors/deliveries.generated.json", &file)
	if len(file.Vectors) < 100 {
		t.Fatal("vectors are missing")
	}
	for _, vector := range file.Vectors {
		header := http.Header{}
		for _, each := range vector.Headers {
			header.Add(each[0], each[1])
		}
		options := []Option{Now(func() time.Time { return time.Unix(vector.Now, 0) })}
		if vector.ToleranceSeconds != nil {
			options = append(options, Tolerance(time.Duration(*vector.ToleranceSeconds)*time.Second))
		}
		event, err := Verify(vector.body(t), header, vector.Secrets, options...)
		var rejected *RefusedError
		if errors.As(err, &rejected) {
			if string(rejected.Reason) != vector.Reason {
				t.Errorf("%s: %s", vector.Name, rejected.Reason)
			}
			continue
		}
		expected := vector.Event
		if expected == nil {
			t.Errorf("%s: accepted", vector.Name)
			continue
		}
		found := fmt.Sprint(event.ID, event.Topic, event.Known(), event.Environment, event.Test, event.Attempt, event.Timestamp.Unix())
		if found != fmt.Sprint(expected.ID, expected.Topic, expected.Known, expected.Environment, expected.Test, expected.Attempt, expected.Timestamp) {
			t.Errorf("%s: %s", vector.Name, found)
		}
		if refund, ok := event.Payload.(*surety.RefundCompleted); expected.RefundID != "" && (!ok || refund.RefundID != expected.RefundID) {
			t.Errorf("%s: %+v", vector.Name, event.Payload)
		}
		if refund, ok := event.Payload.(*surety.RefundCompleted); expected.Amount != "" && (!ok || refund.Amount.String() != expected.Amount) {
			t.Errorf("%s: %+v", vector.Name, event.Payload)
		}
	}
}

func TestKnownSignatures(t *testing.T) {
	var file struct {
		Vectors []struct {
			Name, ID, Topic, Body, ServiceSignature, WebhookSignature string
			Secrets                                                   []string
			Timestamp                                                 int64
		}
	}
	readJSON(t, "../../../packages/testing/src/vectors/webhook-signatures.json", &file)
	for _, vector := range file.Vectors {
		at, body := time.Unix(vector.Timestamp, 0), []byte(vector.Body)
		header, err := Sign(vector.Secrets, vector.Topic, vector.ID, at, body)
		if err != nil || header.Get("Webhook-Signature") != vector.WebhookSignature || header.Get("X-Service-Signature") != vector.ServiceSignature {
			t.Errorf("%s: %v %v", vector.Name, header, err)
		}
		sequence := fmt.Sprintf("00000001%016x", vector.Timestamp*1000) + strings.Repeat("0", 32)
		if header.Get("X-Service-Event-Version") != "1" || header.Get("X-Service-Sequence") != sequence {
			t.Errorf("%s: %v", vector.Name, header)
		}
		for _, secret := range vector.Secrets {
			if _, err := VerifySignature(body, header, []string{secret}, Now(func() time.Time { return at })); err != nil {
				t.Errorf("%s: %v", vector.Name, err)
			}
		}
		older := vector.Secrets[len(vector.Secrets)-1:]
		if VerifyServiceSignature(body, header, older) != nil || VerifyServiceSignature(append(body, ' '), header, older) == nil {
			t.Error(vector.Name)
		}
	}
}

const refund = `{"merchantId":"merchant_1","refundId":"refund_1","transactionId":"payment_1","amount":2500.5,"currency":"NGN",` +
	`"status":"COMPLETED","completedAt":"2026-11-20T10:15:30.250Z"}`

type desk struct {
	t      *testing.T
	secret string
	header http.Header
	seen   int
}

func newDesk(t *testing.T) *desk {
	secret := NewSecret()
	header, err := Sign([]string{secret}, surety.TopicRefundCompleted, "event_1", time.Now(), []byte(refund))
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, secret: secret, header: header}
}

func (d *desk) receiver(options ...ReceiverOption) *Receiver {
	return NewReceiver([]string{d.secret}, func(context.Context, *Event) error { d.seen++; return nil }, options...)
}

func (d *desk) post(receiver http.Handler, body string) (int, string) {
	request := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
	request.Header = d.header.Clone()
	response := httptest.NewRecorder()
	receiver.ServeHTTP(response, request)
	var found struct{ Outcome string }
	if err := json.Unmarshal(response.Body.Bytes(), &found); err != nil {
		d.t.Fatal(err)
	}
	return response.Code, found.Outcome
}

func (d *desk) expect(receiver http.Handler, body string, status int, outcome string) {
	d.t.Helper()
	if code, found := d.post(receiver, body); code != status || found != outcome {
		d.t.Errorf("%d %s, not %d %s", code, found, status, outcome)
	}
}

func TestAPayloadWithoutAFieldOfItsTopicIsRefused(t *testing.T) {
	secrets := []string{NewSecret()}
	for _, payload := range []string{`{}`, `{"refundId":"refund_1"}`, `{"refundId":7}`} {
		header, _ := Sign(secrets, surety.TopicRefundCompleted, "event_1", time.Now(), []byte(payload))
		_, err := Verify([]byte(payload), header, secrets)
		var rejected *RefusedError
		if !errors.As(err, &rejected) || rejected.Reason != InvalidJSON {
			t.Error(err)
		}
	}
}

func TestWorkRunsOncePerEvent(t *testing.T) {
	d := newDesk(t)
	receiver := d.receiver()
	d.expect(receiver, refund, 200, "processed")
	d.expect(receiver, refund, 200, "duplicate")
	if d.seen != 1 {
		t.Error(d.seen)
	}
}

func TestFailedWorkRunsAgain(t *testing.T) {
	d, failures := newDesk(t), 0
	work := func(context.Context, *Event) error {
		if d.seen++; d.seen == 1 {
			return errors.New("the database is down")
		}
		return nil
	}
	receiver := NewReceiver([]string{d.secret}, work, OnError(func(error, *Event) { failures++ }))
	d.expect(receiver, refund, 500, "failed")
	d.expect(receiver, refund, 200, "processed")
	if d.seen != 2 || failures != 1 {
		t.Error(d.seen, failures)
	}
}

func TestAPanicReleasesTheClaim(t *testing.T) {
	d := newDesk(t)
	receiver := NewReceiver([]string{d.secret}, func(context.Context, *Event) error {
		if d.seen++; d.seen == 1 {
			panic("a bug")
		}
		return nil
	})
	func() {
		defer func() { _ = recover() }()
		d.post(receiver, refund)
	}()
	d.expect(receiver, refund, 200, "processed")
}

type brokenStore struct{}

func (brokenStore) Claim(context.Context, string) (Claim, error) { return Claim{}, errors.New("down") }

func TestRejections(t *testing.T) {
	d := newDesk(t)
	var reasons []Reason
	receiver := d.receiver(OnRefused(func(refused *RefusedError) { reasons = append(reasons, refused.Reason) }), MaxBodyBytes(1000))
	d.expect(receiver, refund+" ", 400, "refused")
	d.expect(receiver, "", 500, "refused")
	d.expect(receiver, strings.Repeat("x", 1001), 413, "refused")
	if fmt.Sprint(reasons) != "[signature_mismatch body_not_raw]" {
		t.Error(reasons)
	}
	d.expect(d.receiver(WithStore(brokenStore{}), OnError(func(error, *Event) {})), refund, 503, "failed")
	store := NewMemoryStore()
	_, _ = store.Claim(context.Background(), "event_1")
	d.expect(d.receiver(WithStore(store)), refund, 503, "running")
	if d.seen != 0 {
		t.Error(d.seen)
	}
	response := httptest.NewRecorder()
	receiver.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/", nil))
	if response.Code != 405 {
		t.Error(response.Code)
	}
}

func TestSecretsAreCheckedAndNotPrinted(t *testing.T) {
	d := newDesk(t)
	for _, secrets := range [][]string{nil, {""}, {d.secret + " "}, {d.secret, "sk_live_abc"}} {
		_, err := Verify([]byte(refund), d.header, secrets)
		var rejected *RefusedError
		if !errors.As(err, &rejected) || rejected.Reason != InvalidSecret || strings.Contains(err.Error(), d.secret) {
			t.Error(err)
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if strings.Contains(fmt.Sprintf(verb, *d.receiver()), d.secret) {
			t.Error(verb)
		}
	}
}

func TestTheStoreExpiresAndIsBounded(t *testing.T) {
	ctx, now := context.Background(), time.Unix(0, 0)
	store := NewMemoryStore()
	store.Now, store.MaxEvents = func() time.Time { return now }, 2
	state := func(id string) State {
		claim, _ := store.Claim(ctx, id)
		return claim.State
	}
	first, _ := store.Claim(ctx, "a")
	now = now.Add(store.ClaimFor)
	second, _ := store.Claim(ctx, "a")
	_ = first.Release(ctx)
	if second.State != Claimed || state("a") != Running {
		t.Error("the successor's claim was released")
	}
	_ = second.Complete(ctx)
	if state("a") != Completed {
		t.Error("not completed")
	}
	if state("b") != Claimed || state("c") != Claimed || state("d") != Running {
		t.Error("not bounded")
	}
	tenDays := 240 * time.Hour // beyond the last attempt that a Retry-After can delay
	now = now.Add(tenDays - time.Second)
	if state("a") != Completed {
		t.Error("forgotten while the service may still retry")
	}
	now = now.Add(time.Second)
	if state("a") != Claimed {
		t.Error("not forgotten")
	}
}

func TestOneOfManyGetsTheClaim(t *testing.T) {
	store, group := NewMemoryStore(), sync.WaitGroup{}
	claimed := make(chan bool, 16)
	for range make([]struct{}, 16) {
		group.Add(1)
		go func() {
			defer group.Done()
			claim, _ := store.Claim(context.Background(), "event_1")
			claimed <- claim.State == Claimed
		}()
	}
	group.Wait()
	close(claimed)
	count := 0
	for each := range claimed {
		if each {
			count++
		}
	}
	if count != 1 {
		t.Error(count)
	}
}
