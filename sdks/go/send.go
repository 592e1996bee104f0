package surety

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
)

// A Reply is the response that a record came in.
type Reply struct {
	Status int
	// RequestID is to be quoted when you report a problem.
	RequestID string
	Attempts  int
	// Replayed says whether it is a replay under the same idempotency key: nothing was done now.
	Replayed       bool
	IdempotencyKey string
}

// A runtime is what a call takes from its surroundings; tests replace it.
type runtime struct {
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	random func() float64
}

var systemRuntime = runtime{now: time.Now, sleep: sleep, random: random}

type sender struct {
	key      func() string
	baseURL  string
	settings settings
	runtime  runtime
}

// A call is an operation and what it is given.
type call struct {
	operation      string
	path           map[string]string
	query          url.Values
	body           any
	idempotencyKey string
	options        []Option
}

type replied interface{ setReply(*Reply) }

func record[T any](ctx context.Context, s *sender, c call) (*T, error) {
	found := new(T)
	reply, err := s.run(ctx, c, func(data []byte) error { return json.Unmarshal(data, found) })
	if err != nil {
		return nil, err
	}
	if each, ok := any(found).(replied); ok {
		each.setReply(reply)
	}
	return found, nil
}

type page[T any] struct {
	Data       []T    `json:"data"`
	NextCursor string `json:"nextCursor"`
}

func records[T any](ctx context.Context, s *sender, c call) ([]T, error) {
	found, err := readPage[T](ctx, s, c)
	return found.Data, err
}

func readPage[T any](ctx context.Context, s *sender, c call) (page[T], error) {
	var found page[T]
	reply, err := s.run(ctx, c, func(data []byte) error { return json.Unmarshal(data, &found) })
	if err != nil {
		return page[T]{}, err
	}
	for index := range found.Data {
		if each, ok := any(&found.Data[index]).(replied); ok {
			each.setReply(reply)
		}
	}
	return found, nil
}

// run sends one attempt after the other, as long as it makes sense.
func (s *sender) run(ctx context.Context, c call, read func([]byte) error) (*Reply, error) {
	r := routes[c.operation]
	limits, err := s.settings.with(c.options)
	if err != nil {
		return nil, err
	}
	path, err := pathOf(r.path, c.path)
	if err != nil {
		return nil, err
	}
	address := s.baseURL + path
	for name := range c.query {
		if c.query.Get(name) == "" {
			return nil, usage("%s is an empty list: fill it, or leave it nil", name)
		}
	}
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	body, err := bodyOf(c.body, r.keyed)
	if err != nil {
		return nil, err
	}
	key := ""
	if r.keyed {
		if key = c.idempotencyKey; key == "" {
			key = newID()
		}
		if err := checkIdempotencyKey(key); err != nil {
			return nil, err
		}
	}
	endsAt := s.runtime.now().Add(limits.deadline)
	isOpen := false
	for attempts := 1; ; attempts++ {
		own := Reply{RequestID: newID(), Attempts: attempts, IdempotencyKey: key}
		left := endsAt.Sub(s.runtime.now())
		out := s.attempt(ctx, r, address, body, own, limits, left)
		if out.failure == nil {
			if read(out.data) == nil {
				return &out.reply, nil
			}
			out = unexpected(out.reply.Status, out.reply.RequestID, nil, true, "got %d with a body that does not match the interface", out.reply.Status)
		}
		failed := *out.failure
		isOpen = !settlesTheOutcome(failed, r) && (isOpen || mayHaveTakenEffect(failed, r))
		report := CallError{c.operation, attempts, own.RequestID, key, isOpen, ""}
		if out.requestID != "" {
			report.RequestID = out.requestID
		}
		err := out.toError(report)
		wait, again := retryDelay(failed, r, attempts, s.runtime.random())
		if !again || attempts > limits.maxRetries || !s.runtime.now().Add(wait).Before(endsAt) {
			return nil, err
		}
		if limits.onRetry != nil {
			limits.onRetry(Retry{err, wait})
		}
		if cause := s.runtime.sleep(ctx, wait); cause != nil {
			report.message = "canceled by the caller's context"
			return nil, &AbortedError{report, cause}
		}
	}
}

func (s *sender) attempt(ctx context.Context, r route, address string, body []byte, own Reply, limits settings, left time.Duration) outcome {
	isDeadline := left <= limits.timeout
	limit, shown := limits.timeout, limits.timeout
	if isDeadline {
		limit, shown = left, limits.deadline
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var connected atomic.Bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(limited, trace), r.method, address, reader(body))
	if err != nil {
		return s.noAnswer(failure{kind: kindSilence, notSent: true}, err)
	}
	request.Header.Set("Accept", "application/json, application/problem+json")
	request.Header.Set("Authorization", "Bearer "+s.key())
	request.Header.Set("User-Agent", "Service-Client-Go/1.0")
	request.Header.Set("X-Request-Id", own.RequestID)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if own.IdempotencyKey != "" {
		request.Header.Set("Idempotency-Key", own.IdempotencyKey)
	}
	client := http.Client{
		Transport:     limits.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	var content []byte
	if err == nil {
		content, err = io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
		response.Body.Close()
	}
	switch {
	case err == nil:
		return readAnswer(response, content, own, s.runtime.now())
	case ctx.Err() != nil:
		cause := ctx.Err()
		return outcome{failure: &failure{kind: kindAborted, notSent: !connected.Load()}, toError: func(report CallError) error {
			report.message = "canceled by the caller's context"
			return &AbortedError{report, cause}
		}}
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		what := "an attempt"
		if isDeadline {
			what = "a call"
		}
		return outcome{failure: &failure{kind: kindTimeout, deadline: isDeadline}, toError: func(report CallError) error {
			report.message = fmt.Sprintf("no response arrived within the %v that %s may take", shown, what)
			return &TimedOutError{report}
		}}
	}
	return s.noAnswer(failure{kind: kindSilence, notSent: !connected.Load()}, err)
}

// bodyOf writes a request once: every attempt sends the same bytes. nil if it has no field,
// unless the route needs a body: its answer then names what is missing.
func bodyOf(params any, required bool) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	if name := emptyListIn(params); name != "" {
		return nil, usage("%s is an empty list: fill it, or leave it nil", name)
	}
	body, err := json.Marshal(params)
	if err != nil {
		var wrong *UsageError
		if errors.As(err, &wrong) {
			return nil, wrong
		}
		return nil, usage("the request cannot be written as JSON")
	}
	if !required && bytes.Equal(body, []byte("{}")) {
		return nil, nil
	}
	return body, nil
}

// emptyListIn names an optional list that is empty and not nil. JSON would omit it, and a refund without its items would be
// one of the whole payment.
func emptyListIn(params any) string {
	value := reflect.Indirect(reflect.ValueOf(params))
	if value.Kind() != reflect.Struct {
		return ""
	}
	for index := 0; index < value.NumField(); index++ {
		member, field := value.Field(index), value.Type().Field(index)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if member.Kind() == reflect.Slice && options == "omitempty" && !member.IsNil() && member.Len() == 0 {
			return name
		}
	}
	return ""
}

func reader(body []byte) io.Reader {
	if body == nil {
		return nil
	}
	return bytes.NewReader(body)
}

func newID() string {
	id := randomBytes()
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// Not of math/rand, which before Go 1.20 is the same in every process.
func random() float64 {
	bytes := randomBytes()
	return float64(binary.BigEndian.Uint64(bytes[:8])>>11) / (1 << 53)
}

func randomBytes() (bytes [16]byte) {
	if _, err := rand.Read(bytes[:]); err != nil {
		panic("surety: the system has no randomness: " + err.Error())
	}
	return bytes
}
