// Code generated from the interface's definition by `vitest -u tests/sdks`. DO NOT EDIT.

package surety

import (
	"context"
	"encoding/json"
	"net/url"
)

var routes = map[string]route{
	"account.whoami": {method: "GET", path: "/v1/whoami", keyed: false},

	"dataRequests.create": {method: "POST", path: "/v1/data-requests", keyed: true},

	"dataRequests.list": {method: "GET", path: "/v1/data-requests", keyed: false},

	"dataRequests.get": {method: "GET", path: "/v1/data-requests/{dataRequestId}", keyed: false},

	"dataRequests.cancel": {method: "POST", path: "/v1/data-requests/{dataRequestId}/cancel", keyed: false},

	"identity.read": {method: "GET", path: "/v1/identity", keyed: false},

	"refunds.create": {method: "POST", path: "/v1/refunds", keyed: true},

	"refunds.list": {method: "GET", path: "/v1/refunds", keyed: false},

	"refunds.get": {method: "GET", path: "/v1/refunds/{refundId}", keyed: false},

	"verifications.submit": {method: "POST", path: "/v1/kyc/verifications", keyed: true},

	"verifications.list": {method: "GET", path: "/v1/kyc/verifications", keyed: false},

	"verifications.get": {method: "GET", path: "/v1/kyc/verifications/{reference}", keyed: false},

	"verifications.submitCode": {method: "POST", path: "/v1/kyc/verifications/{reference}/code", keyed: false},

	"events.list": {method: "GET", path: "/v1/events", keyed: false},

	"events.get": {method: "GET", path: "/v1/events/{eventId}", keyed: false},

	"events.deliveries": {method: "GET", path: "/v1/events/{eventId}/deliveries", keyed: false},

	"events.resend": {method: "POST", path: "/v1/events/{eventId}/resend", keyed: false},

	"events.types": {method: "GET", path: "/v1/event-types", keyed: false},

	"requests.list": {method: "GET", path: "/v1/requests", keyed: false},

	"testHelpers.createConsumer": {method: "POST", path: "/v1/test-helpers/consumers", keyed: false},

	"testHelpers.createPayment": {method: "POST", path: "/v1/test-helpers/payments", keyed: false},

	"testHelpers.settlePayment": {method: "POST", path: "/v1/test-helpers/payments/{transactionId}/settle", keyed: false},

	"testHelpers.settleRefund": {method: "POST", path: "/v1/test-helpers/refunds/{refundId}/settle", keyed: false},

	"testHelpers.approveDataRequest": {method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/approve", keyed: false},

	"testHelpers.denyDataRequest": {method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/deny", keyed: false},

	"testHelpers.expireDataRequest": {method: "POST", path: "/v1/test-helpers/data-requests/{dataRequestId}/expire", keyed: false},

	"testHelpers.revokeGrant": {method: "POST", path: "/v1/test-helpers/grants/{grantId}/revoke", keyed: false},

	"testHelpers.expireGrant": {method: "POST", path: "/v1/test-helpers/grants/{grantId}/expire", keyed: false},

	"testHelpers.switchRefunds": {method: "POST", path: "/v1/test-helpers/merchant", keyed: false},

	"testHelpers.clock": {method: "GET", path: "/v1/test-helpers/clock", keyed: false},

	"testHelpers.advanceClock": {method: "POST", path: "/v1/test-helpers/clock", keyed: false},

	"grants.list": {method: "GET", path: "/v1/grants", keyed: false},

	"grants.get": {method: "GET", path: "/v1/grants/{grantId}", keyed: false},

	"grants.receipts": {method: "GET", path: "/v1/grants/{grantId}/receipts", keyed: false},
}

// AccountService has the operations of account.
type AccountService struct{ send *sender }

// Whoami: Who am I? Works in every status of the merchant, so that a refused merchant can see why.
func (s *AccountService) Whoami(ctx context.Context, options ...Option) (*Whoami, error) {
	call := call{operation: "account.whoami", options: options}
	return record[Whoami](ctx, s.send, call)
}

// DataRequestsService has the operations of dataRequests.
type DataRequestsService struct{ send *sender }

// DataRequestsCreateParams are the fields of dataRequests.create. A nil or empty one is not sent.
type DataRequestsCreateParams struct {
	// The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
	ServiceID string `json:"service_id"`

	// Names of identity fields, each once: service_id, display_name, country, email, phone_verified, ….
	RequestedFields []string `json:"requested_fields"`

	// Shown to the person and kept with the grant. Default: the purpose that the platform has set for you,
	// else a sentence with your name.
	Purpose string `json:"purpose,omitempty"`

	// How long you want to read: ONE_TIME (one read), or whole days. Default: as long as the platform
	// allows. The person may shorten it.
	Duration json.RawMessage `json:"duration,omitempty"`

	// Where the page leads the person back to: at or below one of your allowed return urls.
	ReturnURL string `json:"return_url,omitempty"`

	// Returned unchanged as ?state= of return_url. Nothing else is added.
	State string `json:"state,omitempty"`

	// IdempotencyKey names what must happen once. Empty: a new one, which makes only the retries of this call safe.
	IdempotencyKey string `json:"-"`
}

// DataRequestsListParams are the fields of dataRequests.list. A nil or empty one is not sent.
type DataRequestsListParams struct {
	// Only requests to this person.
	ServiceID string `json:"service_id,omitempty"`

	// The maximum number of records on a page.
	Limit *int64 `json:"limit,omitempty"`

	// The `nextCursor` of the previous page. Default: the start of the list.
	Cursor string `json:"cursor,omitempty"`
}

// Create: Ask a person for identity fields. The person decides on a hosted page, and may approve some
// of the fields. With a TEST key, the response has its address, consentUrl; in LIVE, only the person
// gets it. If all fields are already granted for the same purpose, the request is APPROVED immediately.
// While the same fields are PENDING for the same purpose and duration, any key returns that record,
// with the latest return_url and state. A repeated Idempotency-Key returns the first response, byte for
// byte.
func (s *DataRequestsService) Create(ctx context.Context, params DataRequestsCreateParams, options ...Option) (*DataRequest, error) {
	call := call{operation: "dataRequests.create", body: params, idempotencyKey: params.IdempotencyKey, options: options}
	return record[DataRequest](ctx, s.send, call)
}

// List: List data requests. Newest first; only requests to one person if service_id is given.
func (s *DataRequestsService) List(params DataRequestsListParams, options ...Option) *Iterator[DataRequest] {
	query := url.Values{}
	setText(query, "service_id", params.ServiceID)
	setInteger(query, "limit", params.Limit)
	setText(query, "cursor", params.Cursor)
	call := call{operation: "dataRequests.list", query: query, options: options}
	return newIterator[DataRequest](s.send, call)
}

// Get: Read a data request. With its status, and the grant once it is approved.
func (s *DataRequestsService) Get(ctx context.Context, dataRequestID string, options ...Option) (*DataRequest, error) {
	call := call{operation: "dataRequests.get", path: map[string]string{"dataRequestId": dataRequestID}, options: options}
	return record[DataRequest](ctx, s.send, call)
}

// Cancel: Cancel a data request. While it is PENDING. The person can no longer decide on it.
func (s *DataRequestsService) Cancel(ctx context.Context, dataRequestID string, options ...Option) (*DataRequest, error) {
	call := call{operation: "dataRequests.cancel", path: map[string]string{"dataRequestId": dataRequestID}, options: options}
	return record[DataRequest](ctx, s.send, call)
}

// IdentityService has the operations of identity.
type IdentityService struct{ send *sender }

// IdentityReadParams are the fields of identity.read. A nil or empty one is not sent.
type IdentityReadParams struct {
	// The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
	ServiceID string `json:"service_id"`

	// Comma-separated names of identity fields. Default: all approved fields.
	Fields []string `json:"fields,omitempty"`
}

// Read: Read the approved fields of a person. The values are current; null if the person has none.
// notApproved says why each other field is missing. Every read is recorded.
func (s *IdentityService) Read(ctx context.Context, params IdentityReadParams, options ...Option) (*Identity, error) {
	query := url.Values{}
	setText(query, "service_id", params.ServiceID)
	setList(query, "fields", params.Fields)
	call := call{operation: "identity.read", query: query, options: options}
	return record[Identity](ctx, s.send, call)
}

// RefundsService has the operations of refunds.
type RefundsService struct{ send *sender }

// RefundsCreateParams are the fields of refunds.create. A nil or empty one is not sent. An empty list that is not nil is refused.
type RefundsCreateParams struct {
	// The platform's id of the payment.
	TransactionID string `json:"transaction_id,omitempty"`

	Reference string `json:"reference,omitempty"`

	// Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency
	// has.
	Amount *Amount `json:"amount,omitempty"`

	// An ISO 4217 code in any letter case. Default NGN.
	Currency string `json:"currency,omitempty"`

	Reason string `json:"reason,omitempty"`

	MerchantReference string `json:"merchant_reference,omitempty"`

	Items []RefundItemRequest `json:"items,omitempty"`

	// IdempotencyKey names what must happen once. Empty: a new one, which makes only the retries of this call safe.
	IdempotencyKey string `json:"-"`
}

// RefundsListParams are the fields of refunds.list. A nil or empty one is not sent.
type RefundsListParams struct {
	// The platform's id of the payment.
	TransactionID string `json:"transaction_id,omitempty"`

	// The maximum number of records on a page.
	Limit *int64 `json:"limit,omitempty"`

	// The `nextCursor` of the previous page. Default: the start of the list.
	Cursor string `json:"cursor,omitempty"`
}

// Create: Refund a payment. Refunds a settled wallet payment to the customer's primary wallet. Without
// an amount the original amount is refunded. A repeated Idempotency-Key returns the first response,
// byte for byte.
func (s *RefundsService) Create(ctx context.Context, params RefundsCreateParams, options ...Option) (*Refund, error) {
	call := call{operation: "refunds.create", body: params, idempotencyKey: params.IdempotencyKey, options: options}
	return record[Refund](ctx, s.send, call)
}

// List: List refunds. Newest first; only one payment's if transaction_id is given.
func (s *RefundsService) List(params RefundsListParams, options ...Option) *Iterator[Refund] {
	query := url.Values{}
	setText(query, "transaction_id", params.TransactionID)
	setInteger(query, "limit", params.Limit)
	setText(query, "cursor", params.Cursor)
	call := call{operation: "refunds.list", query: query, options: options}
	return newIterator[Refund](s.send, call)
}

// Get: Read a refund. With its status. PENDING ends in COMPLETED or FAILED.
func (s *RefundsService) Get(ctx context.Context, refundID string, options ...Option) (*Refund, error) {
	call := call{operation: "refunds.get", path: map[string]string{"refundId": refundID}, options: options}
	return record[Refund](ctx, s.send, call)
}

// VerificationsService has the operations of verifications.
type VerificationsService struct{ send *sender }

// VerificationsSubmitParams are the fields of verifications.submit. A nil or empty one is not sent.
type VerificationsSubmitParams struct {
	// One of bvn, nin, vnin, phone, nin_phone.
	Kind string `json:"kind"`

	// The number to verify, in the format of its kind. Spaces and hyphens are ignored. Never stored or
	// logged.
	ID string `json:"id"`

	// true: the person has consented.
	VerificationConsent bool `json:"verification_consent"`

	// The person's user_id; or send service_id.
	UserID string `json:"user_id,omitempty"`

	// The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
	ServiceID string `json:"service_id,omitempty"`

	// The tier that the person is verified for. Any string; only the platform's own tiers raise the
	// person's tier.
	Tier string `json:"tier,omitempty"`

	Validation *VerificationValidation `json:"validation,omitempty"`

	// IdempotencyKey names what must happen once. Empty: a new one, which makes only the retries of this call safe.
	IdempotencyKey string `json:"-"`
}

// VerificationsListParams are the fields of verifications.list. A nil or empty one is not sent.
type VerificationsListParams struct {
	// The maximum number of records on a page.
	Limit *int64 `json:"limit,omitempty"`

	// The `nextCursor` of the previous page. Default: the start of the list.
	Cursor string `json:"cursor,omitempty"`
}

// VerificationsSubmitCodeParams are the fields of verifications.submitCode. A nil or empty one is not sent.
type VerificationsSubmitCodeParams struct {
	// The one-time code sent to the person.
	Code string `json:"code"`

	// The one of nextAction.channels on which the code was sent.
	Channel string `json:"channel,omitempty"`
}

// Submit: Verify a person. Compares a number, and your data about the person, with the KYC provider's
// records. Send user_id, service_id, or both. PENDING if the provider responds later: read it again.
// REQUIRES_ACTION if the person must act, as nextAction says: enter a code, or consent on a page. A
// number in a format that its kind never has is FAILED with id_format. A repeated Idempotency-Key
// returns the first response, byte for byte, and is never charged twice. The body may have up to 16
// MiB.
func (s *VerificationsService) Submit(ctx context.Context, params VerificationsSubmitParams, options ...Option) (*Verification, error) {
	call := call{operation: "verifications.submit", body: params, idempotencyKey: params.IdempotencyKey, options: options}
	return record[Verification](ctx, s.send, call)
}

// List: List verifications. Newest first; only of people to whom you are linked.
func (s *VerificationsService) List(params VerificationsListParams, options ...Option) *Iterator[Verification] {
	query := url.Values{}
	setInteger(query, "limit", params.Limit)
	setText(query, "cursor", params.Cursor)
	call := call{operation: "verifications.list", query: query, options: options}
	return newIterator[Verification](s.send, call)
}

// Get: Read a verification. By reference or by providerReference, while you are linked to the person.
func (s *VerificationsService) Get(ctx context.Context, reference string, options ...Option) (*Verification, error) {
	call := call{operation: "verifications.get", path: map[string]string{"reference": reference}, options: options}
	return record[Verification](ctx, s.send, call)
}

// SubmitCode: Submit the person's one-time code. For a verification that is REQUIRES_ACTION with a
// nextAction of type CODE. A wrong code leaves it there; the third ends it as FAILED with code_wrong.
func (s *VerificationsService) SubmitCode(ctx context.Context, reference string, params VerificationsSubmitCodeParams, options ...Option) (*Verification, error) {
	call := call{operation: "verifications.submitCode", path: map[string]string{"reference": reference}, body: params, options: options}
	return record[Verification](ctx, s.send, call)
}

// EventsService has the operations of events.
type EventsService struct{ send *sender }

// EventsListParams are the fields of events.list. A nil or empty one is not sent.
type EventsListParams struct {
	// The maximum number of records on a page.
	Limit *int64 `json:"limit,omitempty"`

	// The `nextCursor` of the previous page. Default: the start of the list.
	Cursor string `json:"cursor,omitempty"`

	// Only events of this topic. One of transaction.settled, refund.completed,
	// merchant.identity.consent_granted, merchant.identity.request.approved,
	// merchant.identity.request.denied, merchant.identity.request.expired,
	// merchant.identity.consent_revoked, merchant.identity.consent_expired, merchant.identity.data_changed,
	// kyc.verification.completed, refund.failed, endpoint.disabled.
	Topic string `json:"topic,omitempty"`

	// Which comes first: newest or oldest. One of newest, oldest.
	Order string `json:"order,omitempty"`
}

// EventsResendParams are the fields of events.resend. A nil or empty one is not sent.
type EventsResendParams struct {
	// One endpoint. Default: every enabled endpoint of the environment that wants the topic.
	EndpointID string `json:"endpoint_id,omitempty"`
}

// List: List events. Newest first, of all topics or of one. With order=oldest, no event ever appears
// before one already listed, however late it is committed. nextCursor is then present even on the last
// page: poll with it to get every event once. It is the last event's id, so any event's id is a valid
// cursor. Test events are not listed.
func (s *EventsService) List(params EventsListParams, options ...Option) *Iterator[Event] {
	query := url.Values{}
	setInteger(query, "limit", params.Limit)
	setText(query, "cursor", params.Cursor)
	setText(query, "topic", params.Topic)
	setText(query, "order", params.Order)
	call := call{operation: "events.list", query: query, options: options}
	return newIterator[Event](s.send, call)
}

// Get: Read an event. As it was delivered, with its payload.
func (s *EventsService) Get(ctx context.Context, eventID string, options ...Option) (*Event, error) {
	call := call{operation: "events.get", path: map[string]string{"eventId": eventID}, options: options}
	return record[Event](ctx, s.send, call)
}

// Deliveries: Read an event's deliveries and their attempts. One delivery for each endpoint to which
// the event is sent.
func (s *EventsService) Deliveries(ctx context.Context, eventID string, options ...Option) ([]Delivery, error) {
	call := call{operation: "events.deliveries", path: map[string]string{"eventId": eventID}, options: options}
	return records[Delivery](ctx, s.send, call)
}

// Resend: Send an event again. Starts its deliveries from the beginning, with the same event id. The
// body is optional.
func (s *EventsService) Resend(ctx context.Context, eventID string, params EventsResendParams, options ...Option) (*Resend, error) {
	call := call{operation: "events.resend", path: map[string]string{"eventId": eventID}, body: params, options: options}
	return record[Resend](ctx, s.send, call)
}

// Types: List topics. Every topic that an endpoint may name, with the JSON Schema of its payload. Only
// the five marked as default are sent to an endpoint that names none.
func (s *EventsService) Types(ctx context.Context, options ...Option) ([]EventType, error) {
	call := call{operation: "events.types", options: options}
	return records[EventType](ctx, s.send, call)
}

// RequestsService has the operations of requests.
type RequestsService struct{ send *sender }

// RequestsListParams are the fields of requests.list. A nil or empty one is not sent.
type RequestsListParams struct {
	// The maximum number of records on a page.
	Limit *int64 `json:"limit,omitempty"`

	// The `nextCursor` of the previous page. Default: the start of the list.
	Cursor string `json:"cursor,omitempty"`

	// Only requests whose response has this HTTP status.
	Status string `json:"status,omitempty"`

	// Only requests of this route's template: /v1/refunds/:refundId.
	Route string `json:"route,omitempty"`
}

// List: List your requests. The requests of the last 7 days with a valid key of this environment,
// newest first: the route and the response's status, without any value that was sent. An entry appears
// within seconds; a crash may lose the latest entries.
func (s *RequestsService) List(params RequestsListParams, options ...Option) *Iterator[RequestEntry] {
	query := url.Values{}
	setInteger(query, "limit", params.Limit)
	setText(query, "cursor", params.Cursor)
	setText(query, "status", params.Status)
	setText(query, "route", params.Route)
	call := call{operation: "requests.list", query: query, options: options}
	return newIterator[RequestEntry](s.send, call)
}

// TestHelpersService has the operations of testHelpers.
type TestHelpersService struct{ send *sender }

// TestHelpersCreateConsumerParams are the fields of testHelpers.createConsumer. A nil or empty one is not sent.
type TestHelpersCreateConsumerParams struct {
	DisplayName string `json:"display_name,omitempty"`

	// An ISO 3166-1 alpha-2 code in any letter case, or the country's English name.
	Country string `json:"country,omitempty"`

	Email string `json:"email,omitempty"`

	// Default false.
	PhoneVerified *bool `json:"phone_verified,omitempty"`

	// Whether you may name the consumer. Default true.
	Linked *bool `json:"linked,omitempty"`

	// Whether data requests to this consumer have the same limits as in LIVE. Default false.
	AskLimits *bool `json:"ask_limits,omitempty"`
}

// TestHelpersCreatePaymentParams are the fields of testHelpers.createPayment. A nil or empty one is not sent.
type TestHelpersCreatePaymentParams struct {
	// The end user's personal identifier, SR1-XXXX-XXXX-C; hyphens, case and white space do not matter.
	ServiceID string `json:"service_id"`

	// Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency
	// has.
	Amount Amount `json:"amount"`

	// An ISO 4217 code in any letter case. Default NGN.
	Currency string `json:"currency,omitempty"`

	// Default: one is generated.
	Reference string `json:"reference,omitempty"`

	// Default true.
	Settled *bool `json:"settled,omitempty"`

	// Default WALLET. A CARD payment is not refundable to a wallet. One of WALLET, CARD.
	Method string `json:"method,omitempty"`

	// Pay from the wallet's balance, instead of funding it first. Only for a settled wallet payment.
	// Default false.
	FromBalance *bool `json:"from_balance,omitempty"`

	// The outcome of the payment's refunds. complete (default). pending: they wait for POST
	// /v1/test-helpers/refunds/{refundId}/settle. decline: wallet_declined. unavailable: 503
	// wallet_unavailable once. no_wallet: customer_wallet_missing. no_balance:
	// insufficient_settlement_balance. One of complete, pending, decline, unavailable, no_wallet,
	// no_balance.
	RefundOutcome string `json:"refund_outcome,omitempty"`
}

// TestHelpersSettleRefundParams are the fields of testHelpers.settleRefund. A nil or empty one is not sent.
type TestHelpersSettleRefundParams struct {
	// One of completed, failed.
	Outcome string `json:"outcome"`
}

// TestHelpersApproveDataRequestParams are the fields of testHelpers.approveDataRequest. A nil or empty one is not sent. An empty list that is not nil is refused.
type TestHelpersApproveDataRequestParams struct {
	// Names of identity fields, each once: service_id, display_name, country, email, phone_verified, ….
	Fields []string `json:"fields,omitempty"`
}

// TestHelpersSwitchRefundsParams are the fields of testHelpers.switchRefunds. A nil or empty one is not sent.
type TestHelpersSwitchRefundsParams struct {
	RefundsEnabled bool `json:"refundsEnabled"`
}

// TestHelpersAdvanceClockParams are the fields of testHelpers.advanceClock. A nil or empty one is not sent.
type TestHelpersAdvanceClockParams struct {
	AdvanceSeconds int64 `json:"advance_seconds"`
}

// CreateConsumer: Create a test consumer. Every field is optional, and so is the body.
func (s *TestHelpersService) CreateConsumer(ctx context.Context, params TestHelpersCreateConsumerParams, options ...Option) (*Consumer, error) {
	call := call{operation: "testHelpers.createConsumer", body: params, options: options}
	return record[Consumer](ctx, s.send, call)
}

// CreatePayment: Create a test payment. Funds the consumer's primary wallet and pays from it. A settled
// one emits transaction.settled. refund_outcome sets the outcome of its refunds.
func (s *TestHelpersService) CreatePayment(ctx context.Context, params TestHelpersCreatePaymentParams, options ...Option) (*Payment, error) {
	call := call{operation: "testHelpers.createPayment", body: params, options: options}
	return record[Payment](ctx, s.send, call)
}

// SettlePayment: Settle a test payment. For a payment created with settled: false. Emits
// transaction.settled.
func (s *TestHelpersService) SettlePayment(ctx context.Context, transactionID string, options ...Option) (*Payment, error) {
	call := call{operation: "testHelpers.settlePayment", path: map[string]string{"transactionId": transactionID}, options: options}
	return record[Payment](ctx, s.send, call)
}

// SettleRefund: Settle a pending refund in the wallet's place. For a refund of a test payment with
// refund_outcome pending. Completed emits refund.completed; failed returns the money to you and frees
// the Idempotency-Key.
func (s *TestHelpersService) SettleRefund(ctx context.Context, refundID string, params TestHelpersSettleRefundParams, options ...Option) (*Refund, error) {
	call := call{operation: "testHelpers.settleRefund", path: map[string]string{"refundId": refundID}, body: params, options: options}
	return record[Refund](ctx, s.send, call)
}

// ApproveDataRequest: Approve a data request in the test consumer's place. Approves all requested
// fields, or some of them. The body is optional.
func (s *TestHelpersService) ApproveDataRequest(ctx context.Context, dataRequestID string, params TestHelpersApproveDataRequestParams, options ...Option) (*DataRequest, error) {
	call := call{operation: "testHelpers.approveDataRequest", path: map[string]string{"dataRequestId": dataRequestID}, body: params, options: options}
	return record[DataRequest](ctx, s.send, call)
}

// DenyDataRequest: Deny a data request in the test consumer's place. As the person would on the page.
// The body is optional.
func (s *TestHelpersService) DenyDataRequest(ctx context.Context, dataRequestID string, options ...Option) (*DataRequest, error) {
	call := call{operation: "testHelpers.denyDataRequest", path: map[string]string{"dataRequestId": dataRequestID}, options: options}
	return record[DataRequest](ctx, s.send, call)
}

// ExpireDataRequest: Let a pending data request expire now. The same as waiting until it expires. The
// body is optional.
func (s *TestHelpersService) ExpireDataRequest(ctx context.Context, dataRequestID string, options ...Option) (*DataRequest, error) {
	call := call{operation: "testHelpers.expireDataRequest", path: map[string]string{"dataRequestId": dataRequestID}, options: options}
	return record[DataRequest](ctx, s.send, call)
}

// RevokeGrant: Revoke a grant in the test consumer's place. Reading stops with the next call. A grant
// that has already ended is returned unchanged.
func (s *TestHelpersService) RevokeGrant(ctx context.Context, grantID string, options ...Option) (*Grant, error) {
	call := call{operation: "testHelpers.revokeGrant", path: map[string]string{"grantId": grantID}, options: options}
	return record[Grant](ctx, s.send, call)
}

// ExpireGrant: Let a grant expire now. Reading stops with the next call. A grant that has already ended
// is returned unchanged.
func (s *TestHelpersService) ExpireGrant(ctx context.Context, grantID string, options ...Option) (*Grant, error) {
	call := call{operation: "testHelpers.expireGrant", path: map[string]string{"grantId": grantID}, options: options}
	return record[Grant](ctx, s.send, call)
}

// SwitchRefunds: Switch your TEST refunds on or off. Off: refunds get 403 refunds_forbidden. LIVE
// refunds are not affected.
func (s *TestHelpersService) SwitchRefunds(ctx context.Context, params TestHelpersSwitchRefundsParams, options ...Option) (*TestMerchant, error) {
	call := call{operation: "testHelpers.switchRefunds", body: params, options: options}
	return record[TestMerchant](ctx, s.send, call)
}

// Clock: Read your test clock. How far it has been moved forward.
func (s *TestHelpersService) Clock(ctx context.Context, options ...Option) (*TestClock, error) {
	call := call{operation: "testHelpers.clock", options: options}
	return record[TestClock](ctx, s.send, call)
}

// AdvanceClock: Move your test clock forward. Brings forward what waits in your TEST environment: the
// expiry of requests and grants, reminders, webhook retries, KYC lookups and the sandbox's delays. 400
// days in all, never back. Times in records stay real, so expiresAt moves.
func (s *TestHelpersService) AdvanceClock(ctx context.Context, params TestHelpersAdvanceClockParams, options ...Option) (*TestClock, error) {
	call := call{operation: "testHelpers.advanceClock", body: params, options: options}
	return record[TestClock](ctx, s.send, call)
}

// GrantsService has the operations of grants.
type GrantsService struct{ send *sender }

// GrantsListParams are the fields of grants.list. A nil or empty one is not sent.
type GrantsListParams struct {
	// Only grants of this person.
	ServiceID string `json:"service_id,omitempty"`

	// The maximum number of records on a page.
	Limit *int64 `json:"limit,omitempty"`

	// The `nextCursor` of the previous page. Default: the start of the list.
	Cursor string `json:"cursor,omitempty"`
}

// List: List grants. Newest first, including ended ones; only one person's grants if service_id is
// given.
func (s *GrantsService) List(params GrantsListParams, options ...Option) *Iterator[Grant] {
	query := url.Values{}
	setText(query, "service_id", params.ServiceID)
	setInteger(query, "limit", params.Limit)
	setText(query, "cursor", params.Cursor)
	call := call{operation: "grants.list", query: query, options: options}
	return newIterator[Grant](s.send, call)
}

// Get: Read a grant. With its fields, its end, and its status.
func (s *GrantsService) Get(ctx context.Context, grantID string, options ...Option) (*Grant, error) {
	call := call{operation: "grants.get", path: map[string]string{"grantId": grantID}, options: options}
	return record[Grant](ctx, s.send, call)
}

// Receipts: List the receipts of a grant. Oldest first: one for its start and, once it has ended, one
// for its end. Each as JSON, and as a JWS that proves it to a third party with the keys at
// /.well-known/jwks.json.
func (s *GrantsService) Receipts(ctx context.Context, grantID string, options ...Option) ([]GrantReceipt, error) {
	call := call{operation: "grants.receipts", path: map[string]string{"grantId": grantID}, options: options}
	return records[GrantReceipt](ctx, s.send, call)
}

// Services are the groups of operations, which a client has as fields.
type Services struct {
	Account *AccountService

	DataRequests *DataRequestsService

	Identity *IdentityService

	Refunds *RefundsService

	Verifications *VerificationsService

	Events *EventsService

	Requests *RequestsService

	TestHelpers *TestHelpersService

	Grants *GrantsService
}

func newServices(send *sender) Services {
	return Services{
		Account: &AccountService{send},

		DataRequests: &DataRequestsService{send},

		Identity: &IdentityService{send},

		Refunds: &RefundsService{send},

		Verifications: &VerificationsService{send},

		Events: &EventsService{send},

		Requests: &RequestsService{send},

		TestHelpers: &TestHelpersService{send},

		Grants: &GrantsService{send},
	}
}
