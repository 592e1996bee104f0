# Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.
"""Codes of problems, and topics of events."""

from __future__ import annotations

from typing import Callable, Dict, Final, FrozenSet, Literal, Mapping, Tuple, Union

from .generated.models import (
    ConsentExpired,
    ConsentGranted,
    ConsentRevoked,
    DataChanged,
    DataRequestApproved,
    DataRequestDenied,
    DataRequestExpired,
    EndpointDisabled,
    RefundCompleted,
    RefundFailed,
    TransactionSettled,
    VerificationCompleted,
)

# 409. The payment is refunded in full. Nothing is left to refund. To read an earlier response again, send its own Idempotency-Key.
ALREADY_REFUNDED: Final = "already_refunded"
# 400. The amount is more than what is left to refund. refundable says what is left. A request without an amount asks for the original amount.
AMOUNT_EXCEEDS_REFUNDABLE: Final = "amount_exceeds_refundable"
# 400. The amount has too many decimals. Send no more decimals than the currency has: two for NGN. Amounts are never rounded.
AMOUNT_PRECISION: Final = "amount_precision"
# 429. This person refused recently. The same fields for the same purpose may be asked for again after Retry-After seconds.
ASKED_RECENTLY: Final = "asked_recently"
# 429. You have asked this person too often. Too many of your requests are waiting for this person, or were made in the last 24 hours. Retry after Retry-After seconds.
ASKED_TOO_OFTEN: Final = "asked_too_often"
# 403. You may not ask this person. The person said that they do not know you, or told you to stop asking. Only the platform can lift the block: ask it, and do not retry.
ASKING_BLOCKED: Final = "asking_blocked"
# 413. The body is too large. Send at most 256 KiB; to verify a person, 16 MiB.
BODY_TOO_LARGE: Final = "body_too_large"
# 400. The code's channel is unknown. Send one of nextAction.channels, or none.
CODE_CHANNEL_UNKNOWN: Final = "code_channel_unknown"
# 403. You may not read this person's data. Ask the person first: POST /v1/data-requests. An unknown identifier gets the same response.
CONSENT_REQUIRED: Final = "consent_required"
# 400. Consumer not found. Check the consumer identifier and the environment of your key.
CONSUMER_NOT_FOUND: Final = "consumer_not_found"
# 400. The currencies differ. Send the payment's own currency, also in items. A missing currency means NGN.
CURRENCY_MISMATCH: Final = "currency_mismatch"
# 400. The currency is not known. Send an ISO 4217 currency code, such as NGN.
CURRENCY_UNKNOWN: Final = "currency_unknown"
# 400. The customer has no wallet in this currency. Refund the customer by other means, or ask the platform.
CUSTOMER_WALLET_MISSING: Final = "customer_wallet_missing"
# 409. The data request is no longer pending. dataRequestStatus is its status now. Make a new request to ask again.
DATA_REQUEST_DECIDED: Final = "data_request_decided"
# 404. Data request not found. Check the data request's id and the environment of your key.
DATA_REQUEST_NOT_FOUND: Final = "data_request_not_found"
# 503. The platform's records of people did not respond. Nothing was disclosed. Retry the same request after Retry-After seconds.
DIRECTORY_UNAVAILABLE: Final = "directory_unavailable"
# 404. The merchant has no such webhook endpoint. List the merchant's endpoints.
ENDPOINT_NOT_FOUND: Final = "endpoint_not_found"
# 409. Events of that time are in an archive. Ask the platform to restore the month in the detail. To follow events again, start without a cursor.
EVENT_ARCHIVED: Final = "event_archived"
# 404. Event not found. Check the event's id and the environment of your key.
EVENT_NOT_FOUND: Final = "event_not_found"
# 404. Grant not found. Check the grant's id and the environment of your key.
GRANT_NOT_FOUND: Final = "grant_not_found"
# 431. The headers are too large. Send at most 16 KiB of headers.
HEADERS_TOO_LARGE: Final = "headers_too_large"
# 409. The first request with this Idempotency-Key is still in progress. Retry the same request after Retry-After seconds.
IDEMPOTENCY_IN_PROGRESS: Final = "idempotency_in_progress"
# 400. The Idempotency-Key header is not valid. Send one key of 1 to 255 printable ASCII characters.
IDEMPOTENCY_KEY_INVALID: Final = "idempotency_key_invalid"
# 400. The Idempotency-Key header is missing. Send a key of your own choosing, unique for each operation, and repeat it when you retry.
IDEMPOTENCY_KEY_REQUIRED: Final = "idempotency_key_required"
# 409. The Idempotency-Key was used for another request. Use a new key for a new request, and repeat a request unchanged when you retry it.
IDEMPOTENCY_KEY_REUSED: Final = "idempotency_key_reused"
# 400. Your settlement balance is too small. Wait for further settlements, or ask the platform to allow an overdraft.
INSUFFICIENT_SETTLEMENT_BALANCE: Final = "insufficient_settlement_balance"
# 500. The service failed unexpectedly. Retry with the same Idempotency-Key. If it keeps failing, report the requestId.
INTERNAL_ERROR: Final = "internal_error"
# 401. The API key is not valid. The key is mistyped, unknown or revoked. Send a key that is in force.
INVALID_API_KEY: Final = "invalid_api_key"
# 400. A string has characters that are not allowed. Remove NUL characters and lone surrogates.
INVALID_CHARACTERS: Final = "invalid_characters"
# 400. The body is not valid JSON. Send one JSON document in UTF-8 in which no object has a field twice.
INVALID_JSON: Final = "invalid_json"
# 400. The items do not add up to the amount. Send items whose sum is the amount, or omit the amount.
ITEMS_AMOUNT_MISMATCH: Final = "items_amount_mismatch"
# 400. The body is nested too deeply. Nest objects and arrays at most 32 deep.
JSON_TOO_DEEP: Final = "json_too_deep"
# 503. No KYC provider is configured. The platform has no KYC provider for LIVE yet. TEST keys verify with the sandbox.
KYC_PROVIDER_NOT_CONFIGURED: Final = "kyc_provider_not_configured"
# 503. The KYC provider did not take the code. Send the same code again after Retry-After seconds.
KYC_PROVIDER_UNAVAILABLE: Final = "kyc_provider_unavailable"
# 404. You are not linked to such a person. Check user_id and service_id, the environment of your key, and that the person is linked to you.
LINKED_USER_NOT_FOUND: Final = "linked_user_not_found"
# 400. The request is not HTTP. Check what the client writes to the connection.
MALFORMED_REQUEST: Final = "malformed_request"
# 400. A merchant's business code was sent as a consumer identifier. Send the end user's identifier (SR1-…), not a merchant's (SRM-…).
MERCHANT_CODE_NOT_ACCEPTED: Final = "merchant_code_not_accepted"
# 403. The merchant's status does not allow this. GET /v1/whoami shows the status and the environments that it allows. LIVE needs an ACTIVE merchant.
MERCHANT_NOT_ACTIVE: Final = "merchant_not_active"
# 405. The route does not support this method. The Allow header lists its methods.
METHOD_NOT_ALLOWED: Final = "method_not_allowed"
# 401. The API key is missing. Send Authorization: Bearer and your secret key.
MISSING_API_KEY: Final = "missing_api_key"
# 406. The response has no content type that you accept. Accept application/json.
NOT_ACCEPTABLE: Final = "not_acceptable"
# 409. A payment with this id or reference is already recorded. field says which of the two is taken. Nothing was recorded.
PAYMENT_ALREADY_RECORDED: Final = "payment_already_recorded"
# 409. The payment has settled already. Nothing needs to be done.
PAYMENT_ALREADY_SETTLED: Final = "payment_already_settled"
# 400. transaction_id and reference name different payments. Send one of them, or two that name the same payment.
PAYMENT_IDENTIFIER_MISMATCH: Final = "payment_identifier_mismatch"
# 400. The request does not name a payment. Send transaction_id, or reference, or both.
PAYMENT_IDENTIFIER_REQUIRED: Final = "payment_identifier_required"
# 404. Payment not found. Check the identifier. A TEST key sees TEST payments only, a LIVE key LIVE ones.
PAYMENT_NOT_FOUND: Final = "payment_not_found"
# 400. The payment cannot be refunded to a wallet. Only payments from a wallet are refunded here. Refund others where they were paid.
PAYMENT_NOT_REFUNDABLE: Final = "payment_not_refundable"
# 400. The payment has not settled. Wait for transaction.settled and send the refund again with the same Idempotency-Key.
PAYMENT_NOT_SETTLED: Final = "payment_not_settled"
# 429. Too many requests. Retry the same request after Retry-After seconds, with the same Idempotency-Key: nothing was done.
RATE_LIMITED: Final = "rate_limited"
# 404. Refund not found. Check the refund's id and the environment of your key.
REFUND_NOT_FOUND: Final = "refund_not_found"
# 409. The refund is not waiting for the sandbox's wallet. Only a refund that is PENDING, of a test payment made with refund_outcome, can be settled. refundStatus says what it is.
REFUND_NOT_WAITING: Final = "refund_not_waiting"
# 403. The merchant may not refund. The platform has switched your refunds off. Ask it why.
REFUNDS_FORBIDDEN: Final = "refunds_forbidden"
# 408. The request took too long to arrive. Send it again within the time limit.
REQUEST_TIMEOUT: Final = "request_timeout"
# 400. The return_url is not one of yours. Send an https url at or below one of your allowed return urls, or ask the platform to add it.
RETURN_URL_NOT_ALLOWED: Final = "return_url_not_allowed"
# 404. Route not found. Check the path.
ROUTE_NOT_FOUND: Final = "route_not_found"
# 403. The API key may not do this. requiredScope names the scope that the key lacks. Use another key, or create one with that scope.
SCOPE_MISSING: Final = "scope_missing"
# 503. The service is temporarily unavailable. Retry the same request after Retry-After seconds, with the same Idempotency-Key.
SERVICE_UNAVAILABLE: Final = "service_unavailable"
# 400. user_id and service_id do not name the same person. Send one of them, or two that name the same person.
SUBJECT_MISMATCH: Final = "subject_mismatch"
# 400. The request does not name a person. Send user_id, or service_id, or both.
SUBJECT_REQUIRED: Final = "subject_required"
# 400. The test clock cannot move that far. leftSeconds says how far it can still move: 400 days in all. A new merchant has a new clock.
TEST_CLOCK_LIMIT: Final = "test_clock_limit"
# 400. The body has an unknown field. Check the field's spelling. Unknown fields are refused, since a misspelt amount must not become a full refund.
UNKNOWN_FIELD: Final = "unknown_field"
# 400. The query has an unknown parameter. Check the parameter's spelling.
UNKNOWN_PARAMETER: Final = "unknown_parameter"
# 415. The body is not JSON. Send Content-Type: application/json, in UTF-8 and not compressed.
UNSUPPORTED_MEDIA_TYPE: Final = "unsupported_media_type"
# 414. The url is too long. Send a path and query of at most 4,096 characters.
URI_TOO_LONG: Final = "uri_too_long"
# 400. The request is not valid. Correct every fault in errors and send the request again.
VALIDATION_FAILED: Final = "validation_failed"
# 409. The verification is in progress. Retry the same request after Retry-After seconds.
VERIFICATION_BUSY: Final = "verification_busy"
# 400. The person's consent is missing. Ask the person, and send verification_consent: true. No one is verified without it.
VERIFICATION_CONSENT_REQUIRED: Final = "verification_consent_required"
# 409. The verification is not waiting for a code. Read the verification: only one that is REQUIRES_ACTION takes the person's code.
VERIFICATION_NEEDS_NO_ACTION: Final = "verification_needs_no_action"
# 404. Verification not found. Check the reference, the environment of your key, and that the person is still linked to you.
VERIFICATION_NOT_FOUND: Final = "verification_not_found"
# 400. The consumer's wallet holds too little. Omit from_balance to fund the wallet first, or refund an earlier payment into it.
WALLET_BALANCE_TOO_SMALL: Final = "wallet_balance_too_small"
# 400. The customer's wallet declined the refund. Nothing was refunded. The detail says why; the same Idempotency-Key may be used again.
WALLET_DECLINED: Final = "wallet_declined"
# 503. It is not known yet whether the customer was credited. Send the same request with the same Idempotency-Key after Retry-After seconds; it never pays twice.
WALLET_UNAVAILABLE: Final = "wallet_unavailable"

KnownCode = Literal[
    "already_refunded",
    "amount_exceeds_refundable",
    "amount_precision",
    "asked_recently",
    "asked_too_often",
    "asking_blocked",
    "body_too_large",
    "code_channel_unknown",
    "consent_required",
    "consumer_not_found",
    "currency_mismatch",
    "currency_unknown",
    "customer_wallet_missing",
    "data_request_decided",
    "data_request_not_found",
    "directory_unavailable",
    "endpoint_not_found",
    "event_archived",
    "event_not_found",
    "grant_not_found",
    "headers_too_large",
    "idempotency_in_progress",
    "idempotency_key_invalid",
    "idempotency_key_required",
    "idempotency_key_reused",
    "insufficient_settlement_balance",
    "internal_error",
    "invalid_api_key",
    "invalid_characters",
    "invalid_json",
    "items_amount_mismatch",
    "json_too_deep",
    "kyc_provider_not_configured",
    "kyc_provider_unavailable",
    "linked_user_not_found",
    "malformed_request",
    "merchant_code_not_accepted",
    "merchant_not_active",
    "method_not_allowed",
    "missing_api_key",
    "not_acceptable",
    "payment_already_recorded",
    "payment_already_settled",
    "payment_identifier_mismatch",
    "payment_identifier_required",
    "payment_not_found",
    "payment_not_refundable",
    "payment_not_settled",
    "rate_limited",
    "refund_not_found",
    "refund_not_waiting",
    "refunds_forbidden",
    "request_timeout",
    "return_url_not_allowed",
    "route_not_found",
    "scope_missing",
    "service_unavailable",
    "subject_mismatch",
    "subject_required",
    "test_clock_limit",
    "unknown_field",
    "unknown_parameter",
    "unsupported_media_type",
    "uri_too_long",
    "validation_failed",
    "verification_busy",
    "verification_consent_required",
    "verification_needs_no_action",
    "verification_not_found",
    "wallet_balance_too_small",
    "wallet_declined",
    "wallet_unavailable",
]

# Codes that this version of the package knows.
CODES: FrozenSet[str] = frozenset(
    (
        "already_refunded",
        "amount_exceeds_refundable",
        "amount_precision",
        "asked_recently",
        "asked_too_often",
        "asking_blocked",
        "body_too_large",
        "code_channel_unknown",
        "consent_required",
        "consumer_not_found",
        "currency_mismatch",
        "currency_unknown",
        "customer_wallet_missing",
        "data_request_decided",
        "data_request_not_found",
        "directory_unavailable",
        "endpoint_not_found",
        "event_archived",
        "event_not_found",
        "grant_not_found",
        "headers_too_large",
        "idempotency_in_progress",
        "idempotency_key_invalid",
        "idempotency_key_required",
        "idempotency_key_reused",
        "insufficient_settlement_balance",
        "internal_error",
        "invalid_api_key",
        "invalid_characters",
        "invalid_json",
        "items_amount_mismatch",
        "json_too_deep",
        "kyc_provider_not_configured",
        "kyc_provider_unavailable",
        "linked_user_not_found",
        "malformed_request",
        "merchant_code_not_accepted",
        "merchant_not_active",
        "method_not_allowed",
        "missing_api_key",
        "not_acceptable",
        "payment_already_recorded",
        "payment_already_settled",
        "payment_identifier_mismatch",
        "payment_identifier_required",
        "payment_not_found",
        "payment_not_refundable",
        "payment_not_settled",
        "rate_limited",
        "refund_not_found",
        "refund_not_waiting",
        "refunds_forbidden",
        "request_timeout",
        "return_url_not_allowed",
        "route_not_found",
        "scope_missing",
        "service_unavailable",
        "subject_mismatch",
        "subject_required",
        "test_clock_limit",
        "unknown_field",
        "unknown_parameter",
        "unsupported_media_type",
        "uri_too_long",
        "validation_failed",
        "verification_busy",
        "verification_consent_required",
        "verification_needs_no_action",
        "verification_not_found",
        "wallet_balance_too_small",
        "wallet_declined",
        "wallet_unavailable",
    )
)

Topic = Literal[
    "transaction.settled",
    "refund.completed",
    "merchant.identity.consent_granted",
    "merchant.identity.request.approved",
    "merchant.identity.request.denied",
    "merchant.identity.request.expired",
    "merchant.identity.consent_revoked",
    "merchant.identity.consent_expired",
    "merchant.identity.data_changed",
    "kyc.verification.completed",
    "refund.failed",
    "endpoint.disabled",
]

Payload = Union[TransactionSettled, RefundCompleted, ConsentGranted, DataRequestApproved, DataRequestDenied, DataRequestExpired, ConsentRevoked, ConsentExpired, DataChanged, VerificationCompleted, RefundFailed, EndpointDisabled]

# How each known topic's payload is read.
PAYLOADS: Dict[str, Callable[[Mapping[str, object]], Payload]] = {
    "transaction.settled": TransactionSettled.of,
    "refund.completed": RefundCompleted.of,
    "merchant.identity.consent_granted": ConsentGranted.of,
    "merchant.identity.request.approved": DataRequestApproved.of,
    "merchant.identity.request.denied": DataRequestDenied.of,
    "merchant.identity.request.expired": DataRequestExpired.of,
    "merchant.identity.consent_revoked": ConsentRevoked.of,
    "merchant.identity.consent_expired": ConsentExpired.of,
    "merchant.identity.data_changed": DataChanged.of,
    "kyc.verification.completed": VerificationCompleted.of,
    "refund.failed": RefundFailed.of,
    "endpoint.disabled": EndpointDisabled.of,
}

# A key that only this topic's payload has; with a value, the key has that value there alone.
MARKS: Dict[str, Tuple[str, object]] = {
    "transaction.settled": ("settledAt", None),
    "refund.completed": ("status", "COMPLETED"),
    "merchant.identity.consent_granted": ("grantedAt", None),
    "merchant.identity.request.approved": ("approvedFields", None),
    "merchant.identity.request.denied": ("status", "DENIED"),
    "merchant.identity.request.expired": ("expiredAt", None),
    "merchant.identity.consent_revoked": ("grantStatus", "REVOKED"),
    "merchant.identity.consent_expired": ("grantStatus", "EXPIRED"),
    "merchant.identity.data_changed": ("changedAt", None),
    "kyc.verification.completed": ("checks", None),
    "refund.failed": ("failedAt", None),
    "endpoint.disabled": ("disabledAt", None),
}

AMOUNT_FIELDS: FrozenSet[str] = frozenset(("amount",))

# Fields that are an amount, or hold one in a record of theirs.
MONEY_FIELDS: FrozenSet[str] = frozenset(("amount", "items",))

# Names of other fields without which a request does or shows the most.
BOUND_FIELDS: FrozenSet[str] = frozenset(("duration", "endpoint_id", "fields",))
