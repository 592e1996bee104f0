package surety

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

type clientVectors struct {
	Retries []struct {
		Failure struct {
			Kind             string
			Status           int
			Code             string
			RetryAfterMillis *int64
			Garbled          bool
			NotSent          bool
			Deadline         bool
			Faults           bool
		}
		Route              string
		Delays             [][]*float64
		MayHaveTakenEffect bool
		SettlesTheOutcome  bool
	}
	RetryAfter []struct {
		Header    string
		NowMillis int64
		Millis    *int64
	}
	Amounts []struct {
		Decimal string
		Number  *string
	}
	Minors []struct {
		Minor    int64
		Decimals int
		Number   string
	}
	BaseURLs []struct {
		Given string
		Base  *string
	} `json:"baseUrls"`
	IdempotencyKeys []struct {
		Key   string
		Valid bool
	}
	APIKeys []struct {
		Key   string
		Valid bool
	} `json:"apiKeys"`
	Segments []struct {
		ID      string
		Segment *string
	}
}

func readVectors(t *testing.T) (vectors clientVectors) {
	t.Helper()
	text, err := os.ReadFile("../vectors/client.generated.json")
	if err == nil {
		err = json.Unmarshal(text, &vectors)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(vectors.Retries) < 50 || len(vectors.BaseURLs) < 20 || len(vectors.APIKeys) < 8 {
		t.Fatal("vectors are missing")
	}
	return vectors
}

func TestRetryVectors(t *testing.T) {
	kinds := map[string]failureKind{
		"problem": kindProblem, "unexpected": kindUnexpected, "silence": kindSilence, "timeout": kindTimeout,
	}
	kindsOfRoutes := map[string]route{
		"read":  {method: "GET", path: "/v1/refunds"},
		"keyed": {method: "POST", path: "/v1/refunds", keyed: true},
		"bare":  {method: "POST", path: "/v1/test-helpers/consumers"},
	}
	for _, vector := range readVectors(t).Retries {
		given, r := vector.Failure, kindsOfRoutes[vector.Route]
		failed := failure{
			kind: kinds[given.Kind], status: given.Status, code: given.Code, garbled: given.Garbled, notSent: given.NotSent, deadline: given.Deadline, faults: given.Faults,
		}
		if given.RetryAfterMillis != nil {
			failed.retryAfter = Ptr(time.Duration(*given.RetryAfterMillis) * time.Millisecond)
		}
		for index, attempts := range []int{1, 2, 6} {
			for random, expected := range vector.Delays[index] {
				delay, again := retryDelay(failed, r, attempts, float64(random))
				if again != (expected != nil) || again && float64(delay.Milliseconds()) != *expected {
					t.Errorf("%+v after %d attempts: %v %v", vector, attempts, delay, again)
				}
			}
		}
		if mayHaveTakenEffect(failed, r) != vector.MayHaveTakenEffect || settlesTheOutcome(failed, r) != vector.SettlesTheOutcome {
			t.Errorf("%+v", vector)
		}
	}
}

func TestInputVectors(t *testing.T) {
	vectors := readVectors(t)
	for _, vector := range vectors.RetryAfter {
		wait := readRetryAfter(vector.Header, time.UnixMilli(vector.NowMillis))
		if (wait == nil) != (vector.Millis == nil) || wait != nil && wait.Milliseconds() != *vector.Millis {
			t.Errorf("Retry-After %q: %v", vector.Header, wait)
		}
	}
	for _, vector := range vectors.Amounts {
		amount, err := ParseAmount(vector.Decimal)
		if (err == nil) != (vector.Number != nil) || err == nil && amount.String() != *vector.Number {
			t.Errorf("amount %q: %v %v", vector.Decimal, amount, err)
		}
	}
	for _, vector := range vectors.Minors {
		amount, err := MinorAmount(vector.Minor, vector.Decimals)
		minor, back := amount.Minor(vector.Decimals)
		if err != nil || back != nil || amount.String() != vector.Number || minor != vector.Minor {
			t.Errorf("%+v: %v %v", vector, amount, minor)
		}
	}
	for _, vector := range vectors.BaseURLs {
		base, err := readBaseURL(vector.Given)
		if (err == nil) != (vector.Base != nil) || err == nil && base != *vector.Base {
			t.Errorf("base URL %q: %q %v", vector.Given, base, err)
		}
	}
	for _, vector := range vectors.IdempotencyKeys {
		if (checkIdempotencyKey(vector.Key) == nil) != vector.Valid {
			t.Errorf("idempotency key %q", vector.Key)
		}
	}
	for _, vector := range vectors.APIKeys {
		if (checkAPIKey(vector.Key) == nil) != vector.Valid {
			t.Errorf("API key %q", vector.Key)
		}
	}
	for _, vector := range vectors.Segments {
		path, err := pathOf("/v1/refunds/{refundId}", map[string]string{"refundId": vector.ID})
		if (err == nil) != (vector.Segment != nil) || err == nil && path != "/v1/refunds/"+*vector.Segment {
			t.Errorf("id %q: %q %v", vector.ID, path, err)
		}
	}
}
