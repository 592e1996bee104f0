package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A State is the result of claiming an event.
type State int

const (
	// Claimed: yours alone. Do the work, then complete; if it failed and may be retried, release.
	Claimed State = iota
	// Running: another delivery of the same event holds the claim.
	Running
	// Completed: the work was done before.
	Completed
)

// A Claim is what a store returns. Complete and Release are set if it is Claimed.
type Claim struct {
	State    State
	Complete func(context.Context) error
	Release  func(context.Context) error
}

// A Store remembers processed events. Implement it on a table that all your processes share.
type Store interface {
	// Claim claims an event atomically: of concurrent calls for one id, at most one gets Claimed. A claim that is neither
	// completed nor released must expire, so that a dead process does not hold its event. An expired claim must not release
	// that of its successor. Remember a completed event for at least ten days, which covers the retry schedule. A requested
	// resend can arrive later.
	Claim(ctx context.Context, eventID string) (Claim, error)
}

// A Receiver is an http.Handler that verifies a delivery, runs the work once per event, and responds so that the sender knows
// whether to retry.
type Receiver struct {
	verify       func([]byte, http.Header) (*Event, error)
	onEvent      func(context.Context, *Event) error
	store        Store
	maxBodyBytes int64
	onRefused    func(*RefusedError)
	onError      func(error, *Event)
}

// A ReceiverOption changes a receiver.
type ReceiverOption func(*Receiver)

// WithStore replaces the store in this process's memory, which serves one process, and is lost when it ends.
func WithStore(store Store) ReceiverOption { return func(r *Receiver) { r.store = store } }

// MaxBodyBytes bounds a body; a longer one gets 413. Default: 1 MiB.
func MaxBodyBytes(bytes int64) ReceiverOption { return func(r *Receiver) { r.maxBodyBytes = bytes } }

// OnRefused is called with every rejected delivery. Default: faults of your own side are logged, once each.
func OnRefused(tell func(*RefusedError)) ReceiverOption {
	return func(r *Receiver) { r.onRefused = tell }
}

// OnError is called with errors of your work and of the store. Default: they are logged.
func OnError(tell func(error, *Event)) ReceiverOption { return func(r *Receiver) { r.onError = tell } }

// NewReceiver creates a receiver. If onEvent fails, the event is delivered again.
func NewReceiver(secrets []string, onEvent func(context.Context, *Event) error, options ...ReceiverOption) *Receiver {
	own := append([]string(nil), secrets...)
	var told sync.Map
	receiver := &Receiver{
		// In a closure, since fmt prints unexported fields.
		verify:       func(body []byte, header http.Header) (*Event, error) { return Verify(body, header, own) },
		onEvent:      onEvent,
		maxBodyBytes: 1 << 20,
		onRefused: func(refused *RefusedError) {
			// Unauthenticated senders must not be able to fill the log.
			if _, isTold := told.LoadOrStore(refused.Reason, true); refused.IsOwnFault() && !isTold {
				log.Printf("webhook delivery refused (%s): %v", refused.Reason, refused)
			}
		},
		onError: func(err error, event *Event) {
			log.Printf("webhook event %s (%s) failed: %v", event.ID, event.Topic, err)
		},
	}
	for _, option := range options {
		option(receiver)
	}
	if receiver.store == nil {
		receiver.store = NewMemoryStore()
	}
	return receiver
}

// ServeHTTP handles a delivery.
func (r *Receiver) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		writer.Header().Set("Allow", http.MethodPost)
		answer(writer, http.StatusMethodNotAllowed, "refused", "message", "Deliveries are sent by POST.")
		return
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, r.maxBodyBytes+1))
	if int64(len(body)) > r.maxBodyBytes {
		answer(writer, http.StatusRequestEntityTooLarge, "refused", "message", fmt.Sprintf("The body has more than %d bytes.", r.maxBodyBytes))
		return
	}
	if err != nil {
		body = nil
	}
	event, err := r.verify(body, request.Header)
	var rejected *RefusedError
	if errors.As(err, &rejected) {
		r.onRefused(rejected)
		if rejected.IsOwnFault() {
			answer(writer, http.StatusInternalServerError, "refused", "reason", string(rejected.Reason))
		} else {
			answer(writer, http.StatusBadRequest, "refused", "reason", string(rejected.Reason), "message", rejected.Error())
		}
		return
	}
	r.work(request.Context(), writer, event)
}

// The sender's own second attempt comes as soon.
const retryAfterSeconds = 5

func (r *Receiver) work(ctx context.Context, writer http.ResponseWriter, event *Event) {
	claim, err := r.store.Claim(ctx, event.ID)
	if err != nil || claim.State == Running {
		outcome := "running"
		if err != nil {
			outcome = "failed"
			r.onError(err, event)
		}
		writer.Header().Set("Retry-After", strconv.Itoa(retryAfterSeconds))
		answer(writer, http.StatusServiceUnavailable, outcome)
		return
	}
	if claim.State == Completed {
		answer(writer, http.StatusOK, "duplicate")
		return
	}
	// The sender may hang up meanwhile; what became of the work is recorded all the same.
	settle := func(step func(context.Context) error) {
		if err := step(detached{ctx}); err != nil {
			r.onError(err, event)
		}
	}
	isDone := false
	defer func() {
		// After a panic too, which net/http reports.
		if !isDone {
			settle(claim.Release)
		}
	}()
	if err := r.onEvent(ctx, event); err != nil {
		r.onError(err, event)
		answer(writer, http.StatusInternalServerError, "failed")
		return
	}
	isDone = true
	settle(claim.Complete)
	answer(writer, http.StatusOK, "processed")
}

// detached has a context's values without its end.
type detached struct{ context.Context }

func (detached) Deadline() (deadline time.Time, ok bool) { return }
func (detached) Done() <-chan struct{}                   { return nil }
func (detached) Err() error                              { return nil }

func answer(writer http.ResponseWriter, status int, outcome string, details ...string) {
	body := map[string]string{"outcome": outcome}
	for index := 0; index+1 < len(details); index += 2 {
		body[details[index]] = details[index+1]
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(status)
	_ = json.NewEncoder(writer).Encode(body)
}
