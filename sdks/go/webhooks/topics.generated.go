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
}

// A mark is a key that only one topic's payload has; with a value, the key has that value there alone.
var marks = map[string]mark{
	"transaction.settled": {key: "settledAt", value: ""},

	"refund.completed": {key: "refundId", value: ""},

	"merchant.identity.consent_granted": {key: "grantId", value: ""},

	"merchant.identity.request.approved": {key: "approvedFields", value: ""},

	"merchant.identity.request.denied": {key: "status", value: "DENIED"},
}

// Keys of each topic's payload, in their exact letter case.
var keys = map[string][]string{
	"transaction.settled": {"merchantId", "transactionId", "amount", "currency", "status", "settledAt", "reference", "serviceId"},

	"refund.completed": {"merchantId", "refundId", "transactionId", "amount", "currency", "status", "completedAt", "reference", "reason", "serviceId", "merchantReference"},

	"merchant.identity.consent_granted": {"merchantId", "serviceId", "grantId", "fields", "grantedAt", "expiresAt", "dataRequestId"},

	"merchant.identity.request.approved": {"merchantId", "dataRequestId", "serviceId", "requestedFields", "approvedFields", "status", "decidedAt"},

	"merchant.identity.request.denied": {"merchantId", "dataRequestId", "serviceId", "requestedFields", "status", "decidedAt"},
}

// The number of keys, from the front, without which a payload is refused.
var required = map[string]int{
	"transaction.settled": 6,

	"refund.completed": 7,

	"merchant.identity.consent_granted": 6,

	"merchant.identity.request.approved": 7,

	"merchant.identity.request.denied": 6,
}
