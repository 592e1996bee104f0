package surety

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// A Client has every operation of /v1 as a method of its group: client.Refunds.Create. It is safe for concurrent use, so
// create one and reuse it. The key is sent in the Authorization header and printed nowhere.
type Client struct {
	Services
	baseURL string
}

// A Retry is a failed attempt, and how long it is until the next one.
type Retry struct {
	Err   error
	Delay time.Duration
}

type settings struct {
	timeout    time.Duration
	deadline   time.Duration
	maxRetries int
	onRetry    func(Retry)
	transport  http.RoundTripper
}

// An Option changes a client, or one call.
type Option func(*settings)

// Timeout bounds one attempt. Default: 30 s.
func Timeout(limit time.Duration) Option { return func(s *settings) { s.timeout = limit } }

// Deadline bounds a whole call, with every attempt and wait. Default: 120 s.
func Deadline(limit time.Duration) Option { return func(s *settings) { s.deadline = limit } }

// MaxRetries is how many attempts may follow the first one. Default: 3.
func MaxRetries(count int) Option { return func(s *settings) { s.maxRetries = count } }

// OnRetry is called with each failed attempt that will be retried, for your log.
func OnRetry(tell func(Retry)) Option { return func(s *settings) { s.onRetry = tell } }

// Transport replaces http.DefaultTransport.
func Transport(transport http.RoundTripper) Option {
	return func(s *settings) { s.transport = transport }
}

// New creates a client. The key is your backend's secret key, the base URL the service's base address, with or without /v1;
// https, except for this machine. It fails for invalid options, without repeating them.
func New(apiKey, baseURL string, options ...Option) (*Client, error) {
	base, err := readBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	if err := checkAPIKey(apiKey); err != nil {
		return nil, err
	}
	defaults := settings{timeout: 30 * time.Second, deadline: 120 * time.Second, maxRetries: 3}
	chosen, err := defaults.with(options)
	if err != nil {
		return nil, err
	}
	// In a closure, since fmt prints unexported fields.
	send := &sender{key: func() string { return apiKey }, baseURL: base, settings: chosen, runtime: systemRuntime}
	return &Client{Services: newServices(send), baseURL: base}, nil
}

// Format prints the base address only, for every verb.
func (c *Client) Format(state fmt.State, _ rune) {
	fmt.Fprintf(state, "surety.Client(%s)", c.baseURL)
}

const oneDay = 24 * time.Hour

func (s settings) with(options []Option) (settings, error) {
	for _, option := range options {
		option(&s)
	}
	for _, limit := range []time.Duration{s.timeout, s.deadline} {
		if limit <= 0 || limit > oneDay {
			return s, usage("a time limit must be above 0 and at most a day")
		}
	}
	if s.maxRetries < 0 || s.maxRetries > 20 {
		return s, usage("MaxRetries must be from 0 to 20")
	}
	return s, nil
}

var (
	apiKeyForm         = regexp.MustCompile(`\Ask_(?:test|live)_[A-Za-z0-9_]+\z`)
	idempotencyKeyForm = regexp.MustCompile(`\A[\x20-\x7e]{1,255}\z`)
	baseURLForm        = regexp.MustCompile(`\A(https?)://([^/?#]*)([^?#]*)([?#].*)?\z`)
	authorityForm      = regexp.MustCompile(`\A(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?\z`)
	loopbackForm       = regexp.MustCompile(`\A(?:localhost|.+\.localhost|127\.[0-9]+\.[0-9]+\.[0-9]+|\[::1\])\z`)
	unprintable        = regexp.MustCompile(`[^\x21-\x7e]`)
	versionSuffix      = regexp.MustCompile(`/v1/*\z`)
)

func checkAPIKey(apiKey string) error {
	if apiKey == "" {
		return usage("the API key is missing: pass your backend's secret key, sk_test_… or sk_live_…")
	}
	if !apiKeyForm.MatchString(apiKey) {
		return usage("the API key must be your backend's secret key, sk_test_… or sk_live_…; the given value does not have that form")
	}
	return nil
}

func checkIdempotencyKey(key string) error {
	if !idempotencyKeyForm.MatchString(key) || strings.TrimSpace(key) == "" {
		return usage("IdempotencyKey must be 1 to 255 printable ASCII characters")
	}
	return nil
}

func readBaseURL(given string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", usage("the base URL must be the service's, such as https://pay.example/api; the given value %s", why)
	}
	match := baseURLForm.FindStringSubmatch(given)
	if match == nil || unprintable.MatchString(given) {
		return refuse("is not an absolute url")
	}
	scheme, authority, path := match[1], match[2], match[3]
	if strings.Contains(authority, "@") {
		return refuse("has a user name or password")
	}
	host := authorityForm.FindStringSubmatch(authority)
	if host == nil {
		return refuse("is not an absolute url")
	}
	if match[4] != "" {
		return refuse("has a query or a fragment")
	}
	if scheme == "http" && !loopbackForm.MatchString(host[1]) {
		return refuse("is not https, which is required except for this machine")
	}
	return scheme + "://" + authority + strings.TrimRight(versionSuffix.ReplaceAllString(path, ""), "/"), nil
}

// pathOf fills in the ids of a path. A dot segment would select another route, an empty one none.
func pathOf(path string, values map[string]string) (string, error) {
	for name, value := range values {
		if value == "" || value == "." || value == ".." {
			return "", usage("%s must be a record's id, as returned by the service", name)
		}
		escaped := strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		path = strings.ReplaceAll(path, "{"+name+"}", escaped)
	}
	return path, nil
}

func setText(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// setList sets an empty list too, if it is not nil, so that it is refused before anything is sent.
func setList(query url.Values, name string, values []string) {
	if values != nil {
		query.Set(name, strings.Join(values, ","))
	}
}

func setInteger(query url.Values, name string, value *int64) {
	if value != nil {
		query.Set(name, fmt.Sprint(*value))
	}
}
