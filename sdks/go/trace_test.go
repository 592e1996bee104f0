package surety

import (
	"net/http"
	"net/http/httptrace"
)

var gotConn httptrace.GotConnInfo

func tracer(request *http.Request) *httptrace.ClientTrace {
	return httptrace.ContextClientTrace(request.Context())
}
