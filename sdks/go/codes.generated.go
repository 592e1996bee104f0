// Code generated from the interface's definition by `vitest -u tests/sdks`. DO NOT EDIT.

package surety

// Codes of problems. A service that is newer than this package may send others.
const (
	// 409. The payment is refunded in full. Nothing is left to refund. To read an earlier response again, send its own Idempotency-Key.
	CodeAlreadyRefunded = "already_refunded"
	// 400. The amount is more than what is left to refund. refundable says what is left. A request without an amount asks for the original amount.
	CodeAmountExceedsRefundable = "amount_exceeds_refundable"
	// 400. The amount has too many decimals. Send no more decimals than the currency has: two for NGN. Amounts are never rounded.
	CodeAmountPrecision = "amount_precision"
	// 429. This person refused recently. The same fields for the same purpose may be asked for again after Retry-After seconds.
	CodeAskedRecently = "asked_recently"
	// 429. You have asked this person too often. Too many of your requests are waiting for this person, or were made in the last 24 hours. Retry after Retry-After seconds.
	CodeAskedTooOften = "asked_too_often"
	// 403. You may not ask this person. The person said that they do not know you, or told you to stop asking. Only the platform can lift the block: ask it, and do not retry.
	CodeAskingBlocked = "asking_blocked"
	// 413. The body is too large. Send at most 256 KiB; to verify a person, 16 MiB.
	CodeBodyTooLarge = "body_too_large"
	// 400. The code's channel is unknown. Send one of nextAction.channels, or none.
	CodeCodeChannelUnknown = "code_channel_unknown"
	// 403. You may not read this person's data. Ask the person first: POST /v1/data-requests. An unknown identifier gets the same response.
	CodeConsentRequired = "consent_required"
	// 400. Consumer not found. Check the consumer identifier and the environment of your key.
	CodeConsumerNotFound = "consumer_not_found"
	// 400. The currencies differ. Send the payment's own currency, also in items. A missing currency means NGN.
	CodeCurrencyMismatch = "currency_mismatch"
	// 400. The currency is not known. Send an ISO 4217 currency code, such as NGN.
	CodeCurrencyUnknown = "currency_unknown"
	// 400. The customer has no wallet in this currency. Refund the customer by other means, or ask the platform.
	CodeCustomerWalletMissing = "customer_wallet_missing"
	// 409. The data request is no longer pending. dataRequestStatus is its status now. Make a new request to ask again.
	CodeDataRequestDecided = "data_request_decided"
	// 404. Data request not found. Check the data request's id and the environment of your key.
	CodeDataRequestNotFound = "data_request_not_found"
	// 503. The platform's records of people did not respond. Nothing was disclosed. Retry the same request after Retry-After seconds.
	CodeDirectoryUnavailable = "directory_unavailable"
	// 404. The merchant has no such webhook endpoint. List the merchant's endpoints.
	CodeEndpointNotFound = "endpoint_not_found"
	// 409. Events of that time are in an archive. Ask the platform to restore the month in the detail. To follow events again, start without a cursor.
	CodeEventArchived = "event_archived"
	// 404. Event not found. Check the event's id and the environment of your key.
	CodeEventNotFound = "event_not_found"
	// 404. Grant not found. Check the grant's id and the environment of your key.
	CodeGrantNotFound = "grant_not_found"
	// 431. The headers are too large. Send at most 16 KiB of headers.
	CodeHeadersTooLarge = "headers_too_large"
	// 409. The first request with this Idempotency-Key is still in progress. Retry the same request after Retry-After seconds.
	CodeIdempotencyInProgress = "idempotency_in_progress"
	// 400. The Idempotency-Key header is not valid. Send one key of 1 to 255 printable ASCII characters.
	CodeIdempotencyKeyInvalid = "idempotency_key_invalid"
	// 400. The Idempotency-Key header is missing. Send a key of your own choosing, unique for each operation, and repeat it when you retry.
	CodeIdempotencyKeyRequired = "idempotency_key_required"
	// 409. The Idempotency-Key was used for another request. Use a new key for a new request, and repeat a request unchanged when you retry it.
	CodeIdempotencyKeyReused = "idempotency_key_reused"
	// 400. Your settlement balance is too small. Wait for further settlements, or ask the platform to allow an overdraft.
	CodeInsufficientSettlementBalance = "insufficient_settlement_balance"
	// 500. The service failed unexpectedly. Retry with the same Idempotency-Key. If it keeps failing, report the requestId.
	CodeInternalError = "internal_error"
	// 401. The API key is not valid. The key is mistyped, unknown or revoked. Send a key that is in force.
	CodeInvalidApiKey = "invalid_api_key"
	// 400. A string has characters that are not allowed. Remove NUL characters and lone surrogates.
	CodeInvalidCharacters = "invalid_characters"
	// 400. The body is not valid JSON. Send one JSON document in UTF-8 in which no object has a field twice.
	CodeInvalidJson = "invalid_json"
	// 400. The items do not add up to the amount. Send items whose sum is the amount, or omit the amount.
	CodeItemsAmountMismatch = "items_amount_mismatch"
	// 400. The body is nested too deeply. Nest objects and arrays at most 32 deep.
	CodeJsonTooDeep = "json_too_deep"
	// 503. No KYC provider is configured. The platform has no KYC provider for LIVE yet. TEST keys verify with the sandbox.
	CodeKycProviderNotConfigured = "kyc_provider_not_configured"
	// 503. The KYC provider did not take the code. Send the same code again after Retry-After seconds.
	CodeKycProviderUnavailable = "kyc_provider_unavailable"
	// 404. You are not linked to such a person. Check user_id and service_id, the environment of your key, and that the person is linked to you.
	CodeLinkedUserNotFound = "linked_user_not_found"
	// 400. The request is not HTTP. Check what the client writes to the connection.
	CodeMalformedRequest = "malformed_request"
	// 400. A merchant's business code was sent as a consumer identifier. Send the end user's identifier (SR1-…), not a merchant's (SRM-…).
	CodeMerchantCodeNotAccepted = "merchant_code_not_accepted"
	// 403. The merchant's status does not allow this. GET /v1/whoami shows the status and the environments that it allows. LIVE needs an ACTIVE merchant.
	CodeMerchantNotActive = "merchant_not_active"
	// 405. The route does not support this method. The Allow header lists its methods.
	CodeMethodNotAllowed = "method_not_allowed"
	// 401. The API key is missing. Send Authorization: Bearer and your secret key.
	CodeMissingApiKey = "missing_api_key"
	// 406. The response has no content type that you accept. Accept application/json.
	CodeNotAcceptable = "not_acceptable"
	// 409. A payment with this id or reference is already recorded. field says which of the two is taken. Nothing was recorded.
	CodePaymentAlreadyRecorded = "payment_already_recorded"
	// 409. The payment has settled already. Nothing needs to be done.
	CodePaymentAlreadySettled = "payment_already_settled"
	// 400. transaction_id and reference name different payments. Send one of them, or two that name the same payment.
	CodePaymentIdentifierMismatch = "payment_identifier_mismatch"
	// 400. The request does not name a payment. Send transaction_id, or reference, or both.
	CodePaymentIdentifierRequired = "payment_identifier_required"
	// 404. Payment not found. Check the identifier. A TEST key sees TEST payments only, a LIVE key LIVE ones.
	CodePaymentNotFound = "payment_not_found"
	// 400. The payment cannot be refunded to a wallet. Only payments from a wallet are refunded here. Refund others where they were paid.
	CodePaymentNotRefundable = "payment_not_refundable"
	// 400. The payment has not settled. Wait for transaction.settled and send the refund again with the same Idempotency-Key.
	CodePaymentNotSettled = "payment_not_settled"
	// 429. Too many requests. Retry the same request after Retry-After seconds, with the same Idempotency-Key: nothing was done.
	CodeRateLimited = "rate_limited"
	// 404. Refund not found. Check the refund's id and the environment of your key.
	CodeRefundNotFound = "refund_not_found"
	// 409. The refund is not waiting for the sandbox's wallet. Only a refund that is PENDING, of a test payment made with refund_outcome, can be settled. refundStatus says what it is.
	CodeRefundNotWaiting = "refund_not_waiting"
	// 403. The merchant may not refund. The platform has switched your refunds off. Ask it why.
	CodeRefundsForbidden = "refunds_forbidden"
	// 408. The request took too long to arrive. Send it again within the time limit.
	CodeRequestTimeout = "request_timeout"
	// 400. The return_url is not one of yours. Send an https url at or below one of your allowed return urls, or ask the platform to add it.
	CodeReturnURLNotAllowed = "return_url_not_allowed"
	// 404. Route not found. Check the path.
	CodeRouteNotFound = "route_not_found"
	// 403. The API key may not do this. requiredScope names the scope that the key lacks. Use another key, or create one with that scope.
	CodeScopeMissing = "scope_missing"
	// 503. The service is temporarily unavailable. Retry the same request after Retry-After seconds, with the same Idempotency-Key.
	CodeServiceUnavailable = "service_unavailable"
	// 400. user_id and service_id do not name the same person. Send one of them, or two that name the same person.
	CodeSubjectMismatch = "subject_mismatch"
	// 400. The request does not name a person. Send user_id, or service_id, or both.
	CodeSubjectRequired = "subject_required"
	// 400. The test clock cannot move that far. leftSeconds says how far it can still move: 400 days in all. A new merchant has a new clock.
	CodeTestClockLimit = "test_clock_limit"
	// 400. The body has an unknown field. Check the field's spelling. Unknown fields are refused, since a misspelt amount must not become a full refund.
	CodeUnknownField = "unknown_field"
	// 400. The query has an unknown parameter. Check the parameter's spelling.
	CodeUnknownParameter = "unknown_parameter"
	// 415. The body is not JSON. Send Content-Type: application/json, in UTF-8 and not compressed.
	CodeUnsupportedMediaType = "unsupported_media_type"
	// 414. The url is too long. Send a path and query of at most 4,096 characters.
	CodeUriTooLong = "uri_too_long"
	// 400. The request is not valid. Correct every fault in errors and send the request again.
	CodeValidationFailed = "validation_failed"
	// 409. The verification is in progress. Retry the same request after Retry-After seconds.
	CodeVerificationBusy = "verification_busy"
	// 400. The person's consent is missing. Ask the person, and send verification_consent: true. No one is verified without it.
	CodeVerificationConsentRequired = "verification_consent_required"
	// 409. The verification is not waiting for a code. Read the verification: only one that is REQUIRES_ACTION takes the person's code.
	CodeVerificationNeedsNoAction = "verification_needs_no_action"
	// 404. Verification not found. Check the reference, the environment of your key, and that the person is still linked to you.
	CodeVerificationNotFound = "verification_not_found"
	// 400. The consumer's wallet holds too little. Omit from_balance to fund the wallet first, or refund an earlier payment into it.
	CodeWalletBalanceTooSmall = "wallet_balance_too_small"
	// 400. The customer's wallet declined the refund. Nothing was refunded. The detail says why; the same Idempotency-Key may be used again.
	CodeWalletDeclined = "wallet_declined"
	// 503. It is not known yet whether the customer was credited. Send the same request with the same Idempotency-Key after Retry-After seconds; it never pays twice.
	CodeWalletUnavailable = "wallet_unavailable"
)

// Topics of events.
const (
	TopicTransactionSettled = "transaction.settled"

	TopicRefundCompleted = "refund.completed"

	TopicMerchantIdentityConsentGranted = "merchant.identity.consent_granted"

	TopicMerchantIdentityRequestApproved = "merchant.identity.request.approved"

	TopicMerchantIdentityRequestDenied = "merchant.identity.request.denied"

	TopicMerchantIdentityRequestExpired = "merchant.identity.request.expired"

	TopicMerchantIdentityConsentRevoked = "merchant.identity.consent_revoked"

	TopicMerchantIdentityConsentExpired = "merchant.identity.consent_expired"

	TopicMerchantIdentityDataChanged = "merchant.identity.data_changed"

	TopicKycVerificationCompleted = "kyc.verification.completed"

	TopicRefundFailed = "refund.failed"

	TopicEndpointDisabled = "endpoint.disabled"
)
