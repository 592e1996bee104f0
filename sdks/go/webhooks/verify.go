// Package webhooks distinguishes genuine webhook deliveries from forged, altered or replayed ones.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"surety.example/surety-go/internal/bounded"
)

// A Reason says why a delivery was rejected. Stable.
type Reason string

const (
	MissingHeaders    Reason = "missing_headers"
	InvalidTimestamp  Reason = "invalid_timestamp"
	SignatureMismatch Reason = "signature_mismatch"
	TimestampTooOld   Reason = "timestamp_too_old"
	TimestampTooNew   Reason = "timestamp_too_new"
	EventIDMismatch   Reason = "event_id_mismatch"
	TopicMismatch     Reason = "topic_mismatch"
	InvalidJSON       Reason = "invalid_json"
	// BodyNotRaw and InvalidSecret are faults on your own side.
	BodyNotRaw    Reason = "body_not_raw"
	InvalidSecret Reason = "invalid_secret"
)

// A RefusedError is a rejected delivery. Its text is for a log, and has no secret and no payload.
type RefusedError struct {
	Reason  Reason
	message string
}

func (e *RefusedError) Error() string { return e.message }

// IsOwnFault says whether your own code passed no raw body or no valid secret, which the sender cannot mend.
func (e *RefusedError) IsOwnFault() bool { return e.Reason == BodyNotRaw || e.Reason == InvalidSecret }

func refused(reason Reason, format string, values ...any) *RefusedError {
	return &RefusedError{reason, fmt.Sprintf(format, values...)}
}

// An Event is a verified delivery.
type Event struct {
	// ID is the same in every attempt and at every endpoint: what to deduplicate by. Signed.
	ID    string
	Topic string
	// Payload is a pointer to the type of the topic, such as *surety.RefundCompleted; nil if the topic is newer than this
	// package.
	Payload any
	// Raw is the payload's JSON, also of an unknown topic.
	Raw json.RawMessage
	// Timestamp is when this attempt was signed. Signed.
	Timestamp time.Time
	// Environment is TEST, LIVE or empty. From a header that no signature covers.
	Environment string
	// Test marks a requested sample: nothing happened. From a header that no signature covers.
	Test bool
	// Attempt is 1 for the first one, 0 if the header is missing. No signature covers it.
	Attempt int
}

// Known says whether Payload has a type.
func (e *Event) Known() bool { return e.Payload != nil }

// A SignedDelivery has a valid signature and time. Its body has not been parsed.
type SignedDelivery struct {
	ID        string
	Timestamp time.Time
	Body      []byte
}

type settings struct {
	tolerance time.Duration
	now       func() time.Time
}

// An Option changes how a delivery is verified.
type Option func(*settings)

// Tolerance is how far a delivery's time may be from now, both ways. Default: 300 s.
func Tolerance(tolerance time.Duration) Option { return func(s *settings) { s.tolerance = tolerance } }

// Now replaces the clock, for tests.
func Now(now func() time.Time) Option { return func(s *settings) { s.now = now } }

// Verify returns the event of a genuine, recent delivery, and a *RefusedError for everything else. Body is the raw body, and
// secrets are the one that the registration showed, or several during a rotation.
//
// A delivery can arrive more than once: deduplicate by Event.ID, or use a Receiver.
func Verify(body []byte, header http.Header, secrets []string, options ...Option) (*Event, error) {
	delivery, err := VerifySignature(body, header, secrets, options...)
	if err != nil {
		return nil, err
	}
	fields := fieldsOf(header)
	topic := fields["x-service-event"]
	if topic == "" {
		return nil, refused(MissingHeaders, "X-Service-Event, which names the topic, is missing")
	}
	raw, err := bounded.Document(delivery.Body)
	if err != nil {
		return nil, refused(InvalidJSON, "the body is signed, but it is not JSON in UTF-8, or has deeper nesting or more values than any event")
	}
	payload, err := payloadOf(topic, raw)
	if err != nil {
		return nil, err
	}
	event := &Event{
		ID:        delivery.ID,
		Topic:     topic,
		Payload:   payload,
		Raw:       raw,
		Timestamp: delivery.Timestamp,
		Test:      fields["x-service-test"] == "true",
	}
	if environment := fields["x-service-environment"]; environment == "TEST" || environment == "LIVE" {
		event.Environment = environment
	}
	if attempt := fields["x-service-delivery-attempt"]; attemptForm.MatchString(attempt) {
		event.Attempt, _ = strconv.Atoi(attempt)
	}
	return event, nil
}

var (
	attemptForm   = regexp.MustCompile(`\A[1-9][0-9]{0,5}\z`)
	timestampForm = regexp.MustCompile(`\A[0-9]{1,12}\z`)
	// whsec_ and base64 with its padding, 24 to 64 bytes.
	secretForm = regexp.MustCompile(`\Awhsec_((?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}(?:[A-Za-z0-9+/]{2}==)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\z`)
)

// VerifySignature is the first half of Verify, for receivers that queue raw deliveries: it checks signature, time and event
// id.
func VerifySignature(body []byte, header http.Header, secrets []string, options ...Option) (*SignedDelivery, error) {
	chosen := settings{tolerance: 300 * time.Second, now: time.Now}
	for _, option := range options {
		option(&chosen)
	}
	keys, err := keysOf(secrets, decode, "does not have the form whsec_ and base64: copy it completely, with the = at its end")
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return nil, notRaw
	}
	fields := fieldsOf(header)
	id, timestamp, signatures := fields["webhook-id"], fields["webhook-timestamp"], fields["webhook-signature"]
	if id == "" || timestamp == "" || signatures == "" {
		return nil, refused(MissingHeaders, "webhook-id, webhook-timestamp and webhook-signature are all required: "+
			"without them, a replay cannot be detected. Does a proxy drop them?")
	}
	if !timestampForm.MatchString(timestamp) {
		return nil, refused(InvalidTimestamp, "webhook-timestamp is not a number of seconds since 1970")
	}
	// The signature is checked before the time, so that only a genuine delivery is reported as too old or too new.
	var given []string
	for _, signature := range strings.Split(signatures, " ") {
		if strings.HasPrefix(signature, "v1,") {
			given = append(given, signature[len("v1,"):])
		}
	}
	if !isSignedBy(keys, id+"."+timestamp+".", body, given, base64.StdEncoding.EncodeToString) {
		return nil, refused(SignatureMismatch, "no signature matches. Either the secret is another endpoint's, or the body is not "+
			"byte for byte what was sent (parsed and written again, or decoded), or the delivery is forged")
	}
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	if err := checkTime(seconds, chosen); err != nil {
		return nil, err
	}
	if other := fields["x-service-event-id"]; other != "" && other != id {
		return nil, refused(EventIDMismatch, "X-Service-Event-Id is not the webhook-id that was signed")
	}
	return &SignedDelivery{id, time.Unix(seconds, 0).UTC(), body}, nil
}

// VerifyServiceSignature checks X-Service-Signature alone: lower-case hex of HMAC-SHA256 over the body. It is not safe against
// replays: the signature covers neither id nor time nor topic. Use Verify unless the sender has no other signature.
func VerifyServiceSignature(body []byte, header http.Header, secrets []string) error {
	encode := func(secret string) []byte {
		if strings.TrimSpace(secret) != secret {
			return nil
		}
		return []byte(secret)
	}
	keys, err := keysOf(secrets, encode, "has white space around it: remove it")
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return notRaw
	}
	signature := fieldsOf(header)["x-service-signature"]
	if signature == "" {
		return refused(MissingHeaders, "X-Service-Signature is missing")
	}
	if !isSignedBy(keys, "", body, []string{signature}, hex.EncodeToString) {
		return refused(SignatureMismatch,
			"X-Service-Signature does not match: another endpoint's secret, an altered body, or a forged delivery")
	}
	return nil
}

var notRaw = refused(BodyNotRaw, "the body is empty: other code has already read it. Read request.Body once, with io.ReadAll")

// fieldsOf has the fields by name in lower case. Repeated fields are joined by a space: each of several signatures may be the
// right one, and any other repeated field no longer equals the signed value.
func fieldsOf(header http.Header) map[string]string {
	fields := map[string]string{}
	for name, values := range header {
		name = strings.ToLower(name)
		if known, isKnown := fields[name]; isKnown {
			values = append([]string{known}, values...)
		}
		fields[name] = strings.Join(values, " ")
	}
	return fields
}

func decode(secret string) []byte {
	match := secretForm.FindStringSubmatch(secret)
	if match == nil {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(match[1])
	if err != nil {
		return nil
	}
	return key
}

func keysOf(secrets []string, read func(string) []byte, otherForm string) ([][]byte, error) {
	if len(secrets) == 0 {
		return nil, refused(InvalidSecret, "the list has no webhook secret")
	}
	found := make([][]byte, 0, len(secrets))
	for index, secret := range secrets {
		key := read(secret)
		if secret == "" {
			return nil, refused(InvalidSecret, "webhook secret %d of %d is missing: check that its setting is set", index+1, len(secrets))
		}
		if key == nil {
			return nil, refused(InvalidSecret, "webhook secret %d of %d %s", index+1, len(secrets), otherForm)
		}
		found = append(found, key)
	}
	return found, nil
}

// isSignedBy says whether one of the keys made one of the signatures. It tries every pair, so that the time does not reveal a
// match. Encoded signatures are compared, never decoded ones: base64 has several forms for the same bytes.
func isSignedBy(keys [][]byte, prefix string, body []byte, given []string, encode func([]byte) string) bool {
	found := 0
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(prefix))
		mac.Write(body)
		expected := []byte(encode(mac.Sum(nil)))
		for _, signature := range given {
			found |= subtle.ConstantTimeCompare(expected, []byte(signature))
		}
	}
	return found == 1
}

func checkTime(seconds int64, chosen settings) error {
	age := chosen.now().Unix() - seconds
	tolerance := int64(chosen.tolerance / time.Second)
	switch {
	case chosen.tolerance < 0 || age < -tolerance:
		return refused(TimestampTooNew, "signed %d s ahead of this clock; %v are allowed. A clock is wrong", -age, chosen.tolerance)
	case age > tolerance:
		return refused(TimestampTooOld, "signed %d s ago; %v are allowed. Is it a replay, or is a clock wrong?", age, chosen.tolerance)
	}
	return nil
}
