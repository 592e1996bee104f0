// Code generated from the interface's definition by `vitest -u tests/sdks`. DO NOT EDIT.

package surety

import "encoding/json"

// ConsentExpired: Payload of `merchant.identity.consent_expired`: A grant expired: the next read of
// these fields fails.
type ConsentExpired struct {
	MerchantID string `json:"merchantId"`

	ServiceID string `json:"serviceId"`

	GrantID string `json:"grantId"`

	Fields []string `json:"fields"`

	// ISO 8601, UTC.
	At string `json:"at"`

	// One of EXPIRED.
	GrantStatus string `json:"grantStatus"`
}

// ConsentGranted: Payload of `merchant.identity.consent_granted`: A person lets the merchant read these
// fields.
type ConsentGranted struct {
	MerchantID string `json:"merchantId"`

	ServiceID string `json:"serviceId"`

	GrantID string `json:"grantId"`

	Fields []string `json:"fields"`

	// ISO 8601, UTC.
	GrantedAt string `json:"grantedAt"`

	// ISO 8601, UTC.
	ExpiresAt string `json:"expiresAt"`

	DataRequestID string `json:"dataRequestId,omitempty"`
}

// ConsentRevoked: Payload of `merchant.identity.consent_revoked`: A grant was revoked: the next read of
// these fields fails.
type ConsentRevoked struct {
	MerchantID string `json:"merchantId"`

	ServiceID string `json:"serviceId"`

	GrantID string `json:"grantId"`

	Fields []string `json:"fields"`

	// ISO 8601, UTC.
	At string `json:"at"`

	// One of REVOKED.
	GrantStatus string `json:"grantStatus"`
}

// Consumer: a record of the service.
type Consumer struct {
	UserID string `json:"userId"`

	ServiceID string `json:"serviceId"`

	// One of TEST, LIVE.
	Environment string `json:"environment"`

	PhoneVerified bool `json:"phoneVerified"`

	CreatedAt string `json:"createdAt"`

	ExternalID string `json:"externalId,omitempty"`

	DisplayName string `json:"displayName,omitempty"`

	Country string `json:"country,omitempty"`

	Email string `json:"email,omitempty"`

	// TEST: data requests to this consumer have the same limits as in LIVE.
	AskLimits *bool `json:"askLimits,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// DataChanged: Payload of `merchant.identity.data_changed`: Fields that the merchant may read have new
// values. Read them again; the event contains no values.
type DataChanged struct {
	MerchantID string `json:"merchantId"`

	ServiceID string `json:"serviceId"`

	Fields []string `json:"fields"`

	// ISO 8601, UTC.
	ChangedAt string `json:"changedAt"`
}

// DataRequest: a record of the service.
type DataRequest struct {
	ID string `json:"id"`

	ServiceID string `json:"serviceId"`

	RequestedFields []string `json:"requestedFields"`

	// One of PENDING, APPROVED, DENIED, EXPIRED, CANCELLED.
	Status string `json:"status"`

	CreatedAt string `json:"createdAt"`

	ExpiresAt string `json:"expiresAt"`

	// The duration that you requested. Absent: as long as the platform allows.
	Duration json.RawMessage `json:"duration,omitempty"`

	ApprovedFields []string `json:"approvedFields,omitempty"`

	GrantID string `json:"grantId,omitempty"`

	DecidedAt string `json:"decidedAt,omitempty"`

	// Only in the response that creates it, with a TEST key: the page on which to decide in the person's
	// place.
	ConsentURL string `json:"consentUrl,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// DataRequestApproved: Payload of `merchant.identity.request.approved`: A person approved a data
// request; `approvedFields` may be fewer than were requested.
type DataRequestApproved struct {
	MerchantID string `json:"merchantId"`

	DataRequestID string `json:"dataRequestId"`

	ServiceID string `json:"serviceId"`

	RequestedFields []string `json:"requestedFields"`

	ApprovedFields []string `json:"approvedFields"`

	// One of APPROVED.
	Status string `json:"status"`

	// ISO 8601, UTC.
	DecidedAt string `json:"decidedAt"`
}

// DataRequestDenied: Payload of `merchant.identity.request.denied`: A person denied a data request.
type DataRequestDenied struct {
	MerchantID string `json:"merchantId"`

	DataRequestID string `json:"dataRequestId"`

	ServiceID string `json:"serviceId"`

	RequestedFields []string `json:"requestedFields"`

	// One of DENIED.
	Status string `json:"status"`

	// ISO 8601, UTC.
	DecidedAt string `json:"decidedAt"`
}

// DataRequestExpired: Payload of `merchant.identity.request.expired`: A data request expired without a
// decision.
type DataRequestExpired struct {
	MerchantID string `json:"merchantId"`

	DataRequestID string `json:"dataRequestId"`

	ServiceID string `json:"serviceId"`

	RequestedFields []string `json:"requestedFields"`

	// One of EXPIRED.
	Status string `json:"status"`

	// ISO 8601, UTC.
	ExpiredAt string `json:"expiredAt"`
}

// Delivery: a record of the service.
type Delivery struct {
	ID string `json:"id"`

	EndpointID string `json:"endpointId"`

	// One of PENDING, DELIVERED, FAILED.
	Status string `json:"status"`

	Attempts []DeliveryAttempt `json:"attempts"`

	CreatedAt string `json:"createdAt"`

	NextAttemptAt string `json:"nextAttemptAt,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// DeliveryAttempt: a record of the service.
type DeliveryAttempt struct {
	Number int64 `json:"number"`

	StartedAt string `json:"startedAt"`

	DurationMillis int64 `json:"durationMillis"`

	ResponseStatus *int64 `json:"responseStatus,omitempty"`

	// The first 4 KiB.
	ResponseBody string `json:"responseBody,omitempty"`

	// Why no response arrived.
	Error string `json:"error,omitempty"`
}

// EndpointDisabled: Payload of `endpoint.disabled`: An endpoint of the merchant was disabled. Its other
// endpoints get this event.
type EndpointDisabled struct {
	MerchantID string `json:"merchantId"`

	EndpointID string `json:"endpointId"`

	// ISO 8601, UTC.
	DisabledAt string `json:"disabledAt"`

	Reason string `json:"reason,omitempty"`
}

// Event: a record of the service.
type Event struct {
	ID string `json:"id"`

	// One of transaction.settled, refund.completed, merchant.identity.consent_granted,
	// merchant.identity.request.approved, merchant.identity.request.denied,
	// merchant.identity.request.expired, merchant.identity.consent_revoked,
	// merchant.identity.consent_expired, merchant.identity.data_changed, kyc.verification.completed,
	// refund.failed, endpoint.disabled.
	Topic string `json:"topic"`

	// One of TEST, LIVE.
	Environment string `json:"environment"`

	OccurredAt string `json:"occurredAt"`

	// The version of the payload's schema, as in X-Service-Event-Version.
	Version string `json:"version"`

	// A string that sorts like order=oldest, as in X-Service-Sequence. Gaps mean nothing.
	Sequence string `json:"sequence"`

	// The webhook's body. Its keys depend on the topic.
	Payload json.RawMessage `json:"payload"`

	// A test event: nothing happened.
	Test *bool `json:"test,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// EventType: a record of the service.
type EventType struct {
	// One of transaction.settled, refund.completed, merchant.identity.consent_granted,
	// merchant.identity.request.approved, merchant.identity.request.denied,
	// merchant.identity.request.expired, merchant.identity.consent_revoked,
	// merchant.identity.consent_expired, merchant.identity.data_changed, kyc.verification.completed,
	// refund.failed, endpoint.disabled.
	Topic string `json:"topic"`

	Description string `json:"description"`

	// The version of the payload's schema, as in X-Service-Event-Version.
	Version string `json:"version"`

	// Whether endpoints that name no topics get it.
	IsDefault bool `json:"isDefault"`

	// The payload's JSON Schema, draft 2020-12. Later versions may add keys.
	Schema map[string]json.RawMessage `json:"schema"`

	// A payload.
	Example map[string]json.RawMessage `json:"example"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// Fault: One thing wrong with a request, and where.
type Fault struct {
	// What is wrong there, for people.
	Detail string `json:"detail"`

	// What is wrong there, for programs.
	Code string `json:"code"`

	// Where in the body: a JSON pointer as a url fragment (RFC 6901, section 6).
	Pointer string `json:"pointer,omitempty"`

	// The path's or query's parameter.
	Parameter string `json:"parameter,omitempty"`

	// The request's header.
	Header string `json:"header,omitempty"`
}

// Grant: a record of the service.
type Grant struct {
	ID string `json:"id"`

	ServiceID string `json:"serviceId"`

	Fields []string `json:"fields"`

	Purpose string `json:"purpose"`

	// One of ACTIVE, REVOKED, EXPIRED.
	Status string `json:"status"`

	// REQUEST: by approving the request dataRequestId. HOST or OPERATOR: without one. One of REQUEST, HOST,
	// OPERATOR.
	Origin string `json:"origin"`

	GrantedAt string `json:"grantedAt"`

	ExpiresAt string `json:"expiresAt"`

	DataRequestID string `json:"dataRequestId,omitempty"`

	RevokedAt string `json:"revokedAt,omitempty"`

	// Ends with your first read of its fields.
	OneTime *bool `json:"oneTime,omitempty"`

	UsedAt string `json:"usedAt,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// GrantReceipt: a record of the service.
type GrantReceipt struct {
	ID string `json:"id"`

	Sequence int64 `json:"sequence"`

	PreviousHash string `json:"previousHash"`

	// SHA-256 in hex of previousHash, as shown here, followed by the canonical JSON (RFC 8785) of receipt.
	Hash string `json:"hash"`

	Receipt json.RawMessage `json:"receipt"`

	// The receipt and its place in the chain as a compact JWS (RFC 7515, Ed25519), verified by
	// /.well-known/jwks.json.
	Jws string `json:"jws"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// Identity: a record of the service.
type Identity struct {
	ServiceID string `json:"serviceId"`

	// Approved fields with their current values; null if the person has none.
	Fields map[string]json.RawMessage `json:"fields"`

	// Why each other field may not be read: of the requested ones, or of all known ones if none was named.
	NotApproved map[string]string `json:"notApproved"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// Payment: a record of the service.
type Payment struct {
	TransactionID string `json:"transactionId"`

	MerchantID string `json:"merchantId"`

	// One of TEST, LIVE.
	Environment string `json:"environment"`

	Amount Amount `json:"amount"`

	Currency string `json:"currency"`

	RefundedAmount Amount `json:"refundedAmount"`

	// One of WALLET, CARD, BANK_TRANSFER.
	Method string `json:"method"`

	// One of PENDING, SETTLED.
	Status string `json:"status"`

	CreatedAt string `json:"createdAt"`

	Reference string `json:"reference,omitempty"`

	UserID string `json:"userId,omitempty"`

	ServiceID string `json:"serviceId,omitempty"`

	SettledAt string `json:"settledAt,omitempty"`

	// The outcome of refunds of this TEST payment. One of pending, decline, unavailable, no_wallet,
	// no_balance.
	RefundOutcome string `json:"refundOutcome,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// Problem: RFC 9457 problem details.
type Problem struct {
	// A url that identifies the problem's code and leads to its documentation.
	Type string `json:"type"`

	// The same for every problem of this code.
	Title string `json:"title"`

	// The response's HTTP status.
	Status int64 `json:"status"`

	// What happened this time, for people.
	Detail string `json:"detail"`

	// The request's path.
	Instance string `json:"instance"`

	// What happened, for programs. Stable.
	Code string `json:"code"`

	// Quote it when you report a problem; also in X-Request-Id.
	RequestID string `json:"requestId"`

	// Every fault found in the request, at most 100.
	Errors []Fault `json:"errors,omitempty"`

	Currency string `json:"currency,omitempty"`

	// amount_exceeds_refundable: the payment's amount.
	Original *Amount `json:"original,omitempty"`

	// amount_exceeds_refundable: what is refunded.
	Refunded *Amount `json:"refunded,omitempty"`

	// amount_exceeds_refundable: what is left.
	Refundable *Amount `json:"refundable,omitempty"`

	MerchantStatus string `json:"merchantStatus,omitempty"`

	DataRequestStatus string `json:"dataRequestStatus,omitempty"`

	Allowed []string `json:"allowed,omitempty"`

	Field string `json:"field,omitempty"`

	Limit *int64 `json:"limit,omitempty"`

	// wallet_unavailable: the id of the pending refund.
	RefundID string `json:"refundId,omitempty"`

	RefundStatus string `json:"refundStatus,omitempty"`

	// scope_missing: the scope that the key lacks.
	RequiredScope string `json:"requiredScope,omitempty"`

	LeftSeconds *int64 `json:"leftSeconds,omitempty"`
}

// Refund: a record of the service.
type Refund struct {
	MerchantID string `json:"merchantId"`

	RefundID string `json:"refundId"`

	TransactionID string `json:"transactionId"`

	// In major units: 2500.5 is two thousand five hundred naira fifty kobo.
	Amount Amount `json:"amount"`

	Currency string `json:"currency"`

	// One of PENDING, COMPLETED, FAILED.
	Status string `json:"status"`

	Reference string `json:"reference,omitempty"`

	Reason string `json:"reason,omitempty"`

	ServiceID string `json:"serviceId,omitempty"`

	CompletedAt string `json:"completedAt,omitempty"`

	MerchantReference string `json:"merchantReference,omitempty"`

	Items []RefundItem `json:"items,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// RefundCompleted: Payload of `refund.completed`: The customer's primary wallet has been credited.
type RefundCompleted struct {
	MerchantID string `json:"merchantId"`

	RefundID string `json:"refundId"`

	TransactionID string `json:"transactionId"`

	// In major units: 2500.5 is two thousand five hundred naira fifty kobo.
	Amount Amount `json:"amount"`

	Currency string `json:"currency"`

	// One of COMPLETED.
	Status string `json:"status"`

	// ISO 8601, UTC.
	CompletedAt string `json:"completedAt"`

	Reference string `json:"reference,omitempty"`

	Reason string `json:"reason,omitempty"`

	ServiceID string `json:"serviceId,omitempty"`

	MerchantReference string `json:"merchantReference,omitempty"`
}

// RefundFailed: Payload of `refund.failed`: The wallet declined a refund: the money is back with the
// merchant, and the idempotency key can be used again.
type RefundFailed struct {
	MerchantID string `json:"merchantId"`

	RefundID string `json:"refundId"`

	TransactionID string `json:"transactionId"`

	// In major units: 2500.5 is two thousand five hundred naira fifty kobo.
	Amount Amount `json:"amount"`

	Currency string `json:"currency"`

	// One of FAILED.
	Status string `json:"status"`

	// One of wallet_declined.
	FailureReason string `json:"failureReason"`

	// ISO 8601, UTC.
	FailedAt string `json:"failedAt"`

	Reference string `json:"reference,omitempty"`

	Reason string `json:"reason,omitempty"`

	ServiceID string `json:"serviceId,omitempty"`

	MerchantReference string `json:"merchantReference,omitempty"`
}

// RefundItem: a record of the service.
type RefundItem struct {
	Amount Amount `json:"amount"`

	Currency string `json:"currency"`

	Reason string `json:"reason,omitempty"`
}

// RequestEntry: a record of the service.
type RequestEntry struct {
	Method string `json:"method"`

	Status int64 `json:"status"`

	RequestID string `json:"requestId"`

	// The last four characters of the key that was used.
	KeyLast4 string `json:"keyLast4"`

	At string `json:"at"`

	// The route's template, without values. Absent if there is no such route.
	Route string `json:"route,omitempty"`

	// The problem's code, if it was refused.
	Code string `json:"code,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// Resend: a record of the service.
type Resend struct {
	EventID string `json:"eventId"`

	// The number of endpoints to which the event is sent again.
	Scheduled int64 `json:"scheduled"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// TestClock: a record of the service.
type TestClock struct {
	Now string `json:"now"`

	// How far it has been moved in total.
	AdvancedSeconds int64 `json:"advancedSeconds"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// TestMerchant: a record of the service.
type TestMerchant struct {
	MerchantID string `json:"merchantId"`

	// One of TEST, LIVE.
	Environment string `json:"environment"`

	// Whether TEST refunds are allowed. Refunds that the platform has switched off stay off.
	RefundsEnabled bool `json:"refundsEnabled"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// TransactionSettled: Payload of `transaction.settled`: A payment to the merchant has settled.
type TransactionSettled struct {
	MerchantID string `json:"merchantId"`

	TransactionID string `json:"transactionId"`

	// In major units: 2500.5 is two thousand five hundred naira fifty kobo.
	Amount Amount `json:"amount"`

	Currency string `json:"currency"`

	// One of SETTLED.
	Status string `json:"status"`

	// ISO 8601, UTC.
	SettledAt string `json:"settledAt"`

	Reference string `json:"reference,omitempty"`

	ServiceID string `json:"serviceId,omitempty"`
}

// Verification: a record of the service.
type Verification struct {
	Reference string `json:"reference"`

	// One of PENDING, REQUIRES_ACTION, VERIFIED, FAILED, ERROR.
	Status string `json:"status"`

	// One of bvn, nin, vnin, phone, nin_phone.
	Kind string `json:"kind"`

	ServiceID string `json:"serviceId"`

	UserID string `json:"userId"`

	Checks VerificationChecks `json:"checks"`

	CreatedAt string `json:"createdAt"`

	ProviderReference string `json:"providerReference,omitempty"`

	Tier string `json:"tier,omitempty"`

	FailureReason string `json:"failureReason,omitempty"`

	NextAction json.RawMessage `json:"nextAction,omitempty"`

	Provider string `json:"provider,omitempty"`

	CompletedAt string `json:"completedAt,omitempty"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// VerificationChecks: a record of the service.
type VerificationChecks struct {
	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	FirstName string `json:"first_name"`

	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	LastName string `json:"last_name"`

	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	DateOfBirth string `json:"date_of_birth"`

	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	Selfie string `json:"selfie"`
}

// VerificationCompleted: Payload of `kyc.verification.completed`: A verification has ended. The payload
// is its record.
type VerificationCompleted struct {
	Reference string `json:"reference"`

	// One of VERIFIED, FAILED, ERROR.
	Status string `json:"status"`

	// One of bvn, nin, vnin, phone, nin_phone.
	Kind string `json:"kind"`

	ServiceID string `json:"serviceId"`

	UserID string `json:"userId"`

	Checks VerificationCompletedChecks `json:"checks"`

	// ISO 8601, UTC.
	CreatedAt string `json:"createdAt"`

	// ISO 8601, UTC.
	CompletedAt string `json:"completedAt"`

	ProviderReference string `json:"providerReference,omitempty"`

	Tier string `json:"tier,omitempty"`

	FailureReason string `json:"failureReason,omitempty"`

	Provider string `json:"provider,omitempty"`
}

// VerificationCompletedChecks: a record of the service.
type VerificationCompletedChecks struct {
	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	FirstName string `json:"first_name"`

	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	LastName string `json:"last_name"`

	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	DateOfBirth string `json:"date_of_birth"`

	// One of MATCH, PARTIAL, NO_MATCH, NOT_CHECKED.
	Selfie string `json:"selfie"`
}

// Whoami: a record of the service.
type Whoami struct {
	MerchantID string `json:"merchantId"`

	Name string `json:"name"`

	// One of PENDING_REVIEW, ACTIVE, REJECTED, SUSPENDED, CLOSED.
	Status string `json:"status"`

	// The environment of the key that was used. One of TEST, LIVE.
	Environment string `json:"environment"`

	// Whether the status allows TEST keys.
	SandboxAccess bool `json:"sandboxAccess"`

	// Whether the status is ACTIVE.
	LiveAccess bool `json:"liveAccess"`

	// Reply is the response's metadata; nil for a record within another one.
	Reply *Reply `json:"-"`
}

// RefundItemRequest: a record of the service.
type RefundItemRequest struct {
	// Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency
	// has.
	Amount Amount `json:"amount"`

	// An ISO 4217 code in any letter case. Default NGN.
	Currency string `json:"currency,omitempty"`

	Reason string `json:"reason,omitempty"`
}

// VerificationValidation: a record of the service.
type VerificationValidation struct {
	FirstName string `json:"first_name,omitempty"`

	LastName string `json:"last_name,omitempty"`

	// YYYY-MM-DD, DD/MM/YYYY or DD-MM-YYYY. Any other text is NOT_CHECKED.
	DateOfBirth string `json:"date_of_birth,omitempty"`

	// A JPEG, PNG or WebP image in base 64, bare or as a data URI; anything else is NOT_CHECKED. Never
	// stored or logged.
	Selfie string `json:"selfie,omitempty"`
}

func (r *Consumer) setReply(reply *Reply) { r.Reply = reply }

func (r *DataRequest) setReply(reply *Reply) { r.Reply = reply }

func (r *Delivery) setReply(reply *Reply) { r.Reply = reply }

func (r *Event) setReply(reply *Reply) { r.Reply = reply }

func (r *EventType) setReply(reply *Reply) { r.Reply = reply }

func (r *Grant) setReply(reply *Reply) { r.Reply = reply }

func (r *GrantReceipt) setReply(reply *Reply) { r.Reply = reply }

func (r *Identity) setReply(reply *Reply) { r.Reply = reply }

func (r *Payment) setReply(reply *Reply) { r.Reply = reply }

func (r *Refund) setReply(reply *Reply) { r.Reply = reply }

func (r *RequestEntry) setReply(reply *Reply) { r.Reply = reply }

func (r *Resend) setReply(reply *Reply) { r.Reply = reply }

func (r *TestClock) setReply(reply *Reply) { r.Reply = reply }

func (r *TestMerchant) setReply(reply *Reply) { r.Reply = reply }

func (r *Verification) setReply(reply *Reply) { r.Reply = reply }

func (r *Whoami) setReply(reply *Reply) { r.Reply = reply }
