package surety

import (
	"errors"
	"fmt"
	"time"
)

// A UsageError is an invalid call or option. Nothing was sent.
type UsageError struct{ message string }

func (e *UsageError) Error() string { return "surety: " + e.message }

func usage(format string, values ...any) *UsageError {
	return &UsageError{fmt.Sprintf(format, values...)}
}

// A CallError has what every failed call has. errors.As finds it in each of the errors below.
type CallError struct {
	// Operation is the operation's name, such as refunds.create.
	Operation string
	// Attempts is how often the request was sent.
	Attempts int
	// RequestID is to be quoted when you report a problem; it exists even without a response.
	RequestID string
	// IdempotencyKey is what every attempt carried. Calling again with it never repeats the effect.
	IdempotencyKey string
	// MayHaveTakenEffect says whether the request may have succeeded all the same. If so, call again with the same key.
	MayHaveTakenEffect bool

	message string
}

func (e *CallError) Error() string {
	times := ""
	if e.Attempts > 1 {
		times = fmt.Sprintf(", %d attempts", e.Attempts)
	}
	return fmt.Sprintf("%s: %s (request %s%s)", e.Operation, e.message, e.RequestID, times)
}

// As lets errors.As find the part that all errors of calls have.
func (e *CallError) As(target any) bool {
	found, ok := target.(**CallError)
	if ok {
		*found = e
	}
	return ok
}

// A ConnectionError is no response: no connection, or a broken one.
type ConnectionError struct{ CallError }

// A TimedOutError is no response in time.
type TimedOutError struct{ CallError }

// An AbortedError is a call that its context ended. errors.Is finds context.Canceled or context.DeadlineExceeded.
type AbortedError struct {
	CallError
	cause error
}

func (e *AbortedError) Unwrap() error { return e.cause }

// An UnexpectedAnswerError is a response that is not the service's: a proxy's page, a redirect, a truncated body.
type UnexpectedAnswerError struct {
	CallError
	Status int
	// RetryAfter is nil if the response had none.
	RetryAfter *time.Duration
}

// A ServiceError is an error response of the service (RFC 9457). Decide by Code.
type ServiceError struct {
	CallError
	Status int
	// Code is the kind of problem, for programs. Stable.
	Code string
	// Title is the same for every problem of this code.
	Title string
	// Detail is what happened this time, for people.
	Detail string
	// Faults are all that were found in the request, with their places.
	Faults []Fault
	// Problem is the whole of it, with the code's own members, such as Refundable.
	Problem Problem
	// RetryAfter is nil if the service did not send it.
	RetryAfter *time.Duration
}

// ErrorCode returns the code of a problem that the service sent, and an empty string for every other error.
func ErrorCode(err error) string {
	var problem *ServiceError
	if errors.As(err, &problem) {
		return problem.Code
	}
	return ""
}
