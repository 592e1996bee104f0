package surety

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	baseDelay    = 500 * time.Millisecond
	largestDelay = 8 * time.Second
	// A longer Retry-After is left to the caller.
	longestRetryAfter = time.Minute
)

// A route is method and path of an operation.
type route struct {
	method string
	path   string
	// Whether it takes an Idempotency-Key, so that a retry never repeats the effect.
	keyed bool
}

func (r route) isRepeatable() bool { return r.method == http.MethodGet || r.keyed }

type failureKind int

const (
	kindProblem failureKind = iota
	kindUnexpected
	kindSilence
	kindTimeout
	kindAborted
)

// A failure is why one attempt did not succeed.
type failure struct {
	kind       failureKind
	status     int
	code       string
	retryAfter *time.Duration
	// A success with a truncated body.
	garbled bool
	// Whether the request certainly never left.
	notSent bool
	// Whether the limit of the whole call was reached.
	deadline bool
	// Whether the problem lists faults of the request.
	faults bool
}

// Every 5xx leaves open whether the request took effect: a proxy's 524, for example, says only that the service has not
// responded in time.
func (f failure) mayBeTransient() bool {
	inProgress := f.status == http.StatusConflict && f.code == CodeIdempotencyInProgress
	return f.status == http.StatusRequestTimeout || f.status >= 500 || inProgress || f.garbled
}

func (f failure) mayRetry(r route) bool {
	switch f.kind {
	case kindAborted:
		return false
	case kindTimeout:
		return !f.deadline && r.isRepeatable()
	case kindSilence:
		return f.notSent || r.isRepeatable()
	}
	// A request over its limit had no effect.
	return f.status == http.StatusTooManyRequests || r.isRepeatable() && f.mayBeTransient()
}

// retryDelay is how long to wait before the next attempt; false for none. Full jitter below a doubling bound; never earlier
// than Retry-After, and spread a little above it. random is from 0 to 1.
func retryDelay(f failure, r route, attempts int, random float64) (time.Duration, bool) {
	if !f.mayRetry(r) {
		return 0, false
	}
	if f.retryAfter != nil {
		return *f.retryAfter + time.Duration(random*float64(baseDelay)), *f.retryAfter <= longestRetryAfter
	}
	bound := largestDelay
	if attempts < 5 {
		bound = baseDelay << (attempts - 1)
	}
	return time.Duration(random * float64(bound)), true
}

// mayHaveTakenEffect says whether a failed request had an effect: certainly not, or unknown.
func mayHaveTakenEffect(f failure, r route) bool {
	if r.method == http.MethodGet {
		return false
	}
	switch f.kind {
	case kindTimeout:
		return true
	case kindSilence, kindAborted:
		return !f.notSent
	}
	// An unreadable success may still be a success.
	return f.mayBeTransient() || f.status < 300
}

// settlesTheOutcome says whether a failure settles what earlier, lost responses left open. With an idempotency key a
// rejection does: had an earlier attempt succeeded, its response would have been replayed. A refusal of the API key, the
// merchant, the rate or the request's form does not: it comes before the idempotency key is looked up.
func settlesTheOutcome(f failure, r route) bool {
	switch f.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return false
	}
	if f.faults || f.code == CodeInvalidJson || f.code == CodeRouteNotFound {
		return false
	}
	return r.keyed && f.kind == kindProblem && !f.mayBeTransient()
}

var seconds = regexp.MustCompile(`\A[0-9]{1,9}\z`)

// readRetryAfter reads seconds or a date (RFC 9110, 10.2.3); nil if the header is neither.
func readRetryAfter(header string, now time.Time) *time.Duration {
	if text := strings.TrimSpace(header); seconds.MatchString(text) {
		number, _ := strconv.Atoi(text)
		return Ptr(time.Duration(number) * time.Second)
	}
	at, err := time.Parse(http.TimeFormat, header)
	if err != nil {
		return nil
	}
	if wait := at.Sub(now); wait > 0 {
		return Ptr(wait)
	}
	return Ptr(time.Duration(0))
}
