// Code generated from the interface's definition by `vitest -u tests/sdks`. DO NOT EDIT.

package webhooks

import surety "surety.example/surety-go"

// payloads reads each known topic's payload.
var payloads = map[string]func([]byte) (any, error){
	"transaction.settled": read[surety.TransactionSettled],

	"refund.completed": read[surety.RefundCompleted],

	"merchant.identity.consent_granted": read[surety.ConsentGranted],

	"merchant.identity.request.approved": read[surety.DataRequestApproved],

	"merchant.identity.request.denied": read[surety.DataRequestDenied],

	"merchant.identity.request.expired": read[surety.DataRequestExpired],

	"merchant.identity.consent_revoked": read[surety.ConsentRevoked],

	"merchant.identity.consent_expired": read[surety.ConsentExpired],

	"merchant.identity.data_changed": read[surety.DataChanged],

	"kyc.verification.completed": read[surety.VerificationCompleted],

	"refund.failed": read[surety.RefundFailed],

	"endpoint.disabled": read[surety.EndpointDisabled],
}

// A mark is a key that only one topic's payload has; with a value, the key has that value there alone.
var marks = map[string]mark{
	"transaction.settled": {key: "settledAt", value: ""},

	"refund.completed": {key: "status", value: "COMPLETED"},

	"merchant.identity.consent_granted": {key: "grantedAt", value: ""},

	"merchant.identity.request.approved": {key: "approvedFields", value: ""},

	"merchant.identity.request.denied": {key: "status", value: "DENIED"},

	"merchant.identity.request.expired": {key: "expiredAt", value: ""},

	"merchant.identity.consent_revoked": {key: "grantStatus", value: "REVOKED"},

	"merchant.identity.consent_expired": {key: "grantStatus", value: "EXPIRED"},

	"merchant.identity.data_changed": {key: "changedAt", value: ""},

	"kyc.verification.completed": {key: "checks", value: ""},

	"refund.failed": {key: "failedAt", value: ""},

	"endpoint.disabled": {key: "disabledAt", value: ""},
}

// Keys of each topic's payload, in their exact letter case.
var keys = map[string][]string{
	"transaction.settled": {"merchantId", "transactionId", "amount", "currency", "status", "settledAt", "reference", "serviceId"},

	"refund.completed": {"merchantId", "refundId", "transactionId", "amount", "currency", "status", "completedAt", "reference", "reason", "serviceId", "merchantReference"},

	"merchant.identity.consent_granted": {"merchantId", "serviceId", "grantId", "fields", "grantedAt", "expiresAt", "dataRequestId"},

	"merchant.identity.request.approved": {"merchantId", "dataRequestId", "serviceId", "requestedFields", "approvedFields", "status", "decidedAt"},

	"merchant.identity.request.denied": {"merchantId", "dataRequestId", "serviceId", "requestedFields", "status", "decidedAt"},

	"merchant.identity.request.expired": {"merchantId", "dataRequestId", "serviceId", "requestedFields", "status", "expiredAt"},

	"merchant.identity.consent_revoked": {"merchantId", "serviceId", "grantId", "fields", "at", "grantStatus"},

	"merchant.identity.consent_expired": {"merchantId", "serviceId", "grantId", "fields", "at", "grantStatus"},

	"merchant.identity.data_changed": {"merchantId", "serviceId", "fields", "changedAt"},

	"kyc.verification.completed": {"reference", "status", "kind", "serviceId", "userId", "checks", "createdAt", "completedAt", "providerReference", "tier", "failureReason", "provider"},

	"refund.failed": {"merchantId", "refundId", "transactionId", "amount", "currency", "status", "failureReason", "failedAt", "reference", "reason", "serviceId", "merchantReference"},

	"endpoint.disabled": {"merchantId", "endpointId", "disabledAt", "reason"},
}

// The number of keys, from the front, without which a payload is refused.
var required = map[string]int{
	"transaction.settled": 6,

	"refund.completed": 7,

	"merchant.identity.consent_granted": 6,

	"merchant.identity.request.approved": 7,

	"merchant.identity.request.denied": 6,

	"merchant.identity.request.expired": 6,

	"merchant.identity.consent_revoked": 6,

	"merchant.identity.consent_expired": 6,

	"merchant.identity.data_changed": 4,

	"kyc.verification.completed": 8,

	"refund.failed": 8,

	"endpoint.disabled": 3,
}
