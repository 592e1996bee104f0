package surety

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"surety.example/surety-go/internal/bounded"
)

// Far above every response of the service, and far below a backend's memory.
const maxAnswerBytes = 16 << 20

// An outcome is a success with its JSON, or a failure and how it becomes an error.
type outcome struct {
	data      []byte
	reply     Reply
	failure   *failure
	toError   func(CallError) error
	requestID string
}

func (s *sender) noAnswer(failed failure, cause error) outcome {
	said := strings.ReplaceAll(cause.Error(), s.key(), "sk_…")
	return outcome{failure: &failed, toError: func(report CallError) error {
		report.message = "no response arrived: " + said
		return &ConnectionError{report}
	}}
}

func unexpected(status int, requestID string, wait *time.Duration, garbled bool, format string, values ...any) outcome {
	failed := failure{kind: kindUnexpected, status: status, retryAfter: wait, garbled: garbled}
	return outcome{failure: &failed, requestID: requestID, toError: func(report CallError) error {
		report.message = fmt.Sprintf(format, values...)
		return &UnexpectedAnswerError{report, status, wait}
	}}
}

func readAnswer(response *http.Response, content []byte, own Reply, now time.Time) outcome {
	status, requestID := response.StatusCode, response.Header.Get("X-Request-Id")
	wait := readRetryAfter(response.Header.Get("Retry-After"), now)
	succeeded := status >= 200 && status < 300
	if status >= 300 && status < 400 {
		return unexpected(status, requestID, wait, false,
			"got a redirect, which is not followed because it would pass on the API key: check the base URL")
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if !strings.HasSuffix(mediaType, "/json") && !strings.HasSuffix(mediaType, "+json") {
		return unexpected(status, requestID, wait, false,
			"got %d with a body of type %.100q, which is not the service's: check the base URL and any proxy in between", status, mediaType)
	}
	if len(content) > maxAnswerBytes {
		return unexpected(status, requestID, wait, succeeded, "got %d with a body that is too long", status)
	}
	data, err := bounded.Document(content)
	if succeeded {
		if err != nil {
			return unexpected(status, requestID, wait, true, "got %d with an incomplete body", status)
		}
		own.Status, own.Replayed = status, response.Header.Get("Idempotent-Replayed") == "true"
		if requestID != "" {
			own.RequestID = requestID
		}
		return outcome{data: data, reply: own}
	}
	var problem Problem
	if err != nil || json.Unmarshal(data, &problem) != nil || problem.Code == "" || problem.Title == "" {
		return unexpected(status, requestID, wait, false, "got %d with JSON that is not a problem of the service", status)
	}
	failed := failure{kind: kindProblem, status: status, code: problem.Code, retryAfter: wait, faults: len(problem.Errors) > 0}
	return outcome{failure: &failed, requestID: requestID, toError: func(report CallError) error {
		report.message = fmt.Sprintf("%d %s. %s. %s", status, problem.Code, problem.Title, problem.Detail)
		return &ServiceError{report, status, problem.Code, problem.Title, problem.Detail, problem.Errors, problem, wait}
	}}
}
