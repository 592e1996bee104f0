<?php
// Generated from the interface's definition by `vitest -u tests/sdks`. Do not edit.

declare(strict_types=1);

namespace Surety;

use Surety\Model;

/** Codes of problems. A service that is newer than this package may send others. */
final class Code
{
    /** 409. The payment is refunded in full. Nothing is left to refund. To read an earlier response again, send its own Idempotency-Key. */
    public const ALREADY_REFUNDED = 'already_refunded';
    /** 400. The amount is more than what is left to refund. refundable says what is left. A request without an amount asks for the original amount. */
    public const AMOUNT_EXCEEDS_REFUNDABLE = 'amount_exceeds_refundable';
    /** 400. The amount has too many decimals. Send no more decimals than the currency has: two for NGN. Amounts are never rounded. */
    public const AMOUNT_PRECISION = 'amount_precision';
    /** 429. This person refused recently. The same fields for the same purpose may be asked for again after Retry-After seconds. */
    public const ASKED_RECENTLY = 'asked_recently';
    /** 429. You have asked this person too often. Too many of your requests are waiting for this person, or were made in the last 24 hours. Retry after Retry-After seconds. */
    public const ASKED_TOO_OFTEN = 'asked_too_often';
    /** 403. You may not ask this person. The person said that they do not know you, or told you to stop asking. Only the platform can lift the block: ask it, and do not retry. */
    public const ASKING_BLOCKED = 'asking_blocked';
    /** 413. The body is too large. Send at most 256 KiB; to verify a person, 16 MiB. */
    public const BODY_TOO_LARGE = 'body_too_large';
    /** 400. The code's channel is unknown. Send one of nextAction.channels, or none. */
    public const CODE_CHANNEL_UNKNOWN = 'code_channel_unknown';
    /** 403. You may not read this person's data. Ask the person first: POST /v1/data-requests. An unknown identifier gets the same response. */
    public const CONSENT_REQUIRED = 'consent_required';
    /** 400. Consumer not found. Check the consumer identifier and the environment of your key. */
    public const CONSUMER_NOT_FOUND = 'consumer_not_found';
    /** 400. The currencies differ. Send the payment's own currency, also in items. A missing currency means NGN. */
    public const CURRENCY_MISMATCH = 'currency_mismatch';
    /** 400. The currency is not known. Send an ISO 4217 currency code, such as NGN. */
    public const CURRENCY_UNKNOWN = 'currency_unknown';
    /** 400. The customer has no wallet in this currency. Refund the customer by other means, or ask the platform. */
    public const CUSTOMER_WALLET_MISSING = 'customer_wallet_missing';
    /** 409. The data request is no longer pending. dataRequestStatus is its status now. Make a new request to ask again. */
    public const DATA_REQUEST_DECIDED = 'data_request_decided';
    /** 404. Data request not found. Check the data request's id and the environment of your key. */
    public const DATA_REQUEST_NOT_FOUND = 'data_request_not_found';
    /** 503. The platform's records of people did not respond. Nothing was disclosed. Retry the same request after Retry-After seconds. */
    public const DIRECTORY_UNAVAILABLE = 'directory_unavailable';
    /** 404. The merchant has no such webhook endpoint. List the merchant's endpoints. */
    public const ENDPOINT_NOT_FOUND = 'endpoint_not_found';
    /** 409. Events of that time are in an archive. Ask the platform to restore the month in the detail. To follow events again, start without a cursor. */
    public const EVENT_ARCHIVED = 'event_archived';
    /** 404. Event not found. Check the event's id and the environment of your key. */
    public const EVENT_NOT_FOUND = 'event_not_found';
    /** 404. Grant not found. Check the grant's id and the environment of your key. */
    public const GRANT_NOT_FOUND = 'grant_not_found';
    /** 431. The headers are too large. Send at most 16 KiB of headers. */
    public const HEADERS_TOO_LARGE = 'headers_too_large';
    /** 409. The first request with this Idempotency-Key is still in progress. Retry the same request after Retry-After seconds. */
    public const IDEMPOTENCY_IN_PROGRESS = 'idempotency_in_progress';
    /** 400. The Idempotency-Key header is not valid. Send one key of 1 to 255 printable ASCII characters. */
    public const IDEMPOTENCY_KEY_INVALID = 'idempotency_key_invalid';
    /** 400. The Idempotency-Key header is missing. Send a key of your own choosing, unique for each operation, and repeat it when you retry. */
    public const IDEMPOTENCY_KEY_REQUIRED = 'idempotency_key_required';
    /** 409. The Idempotency-Key was used for another request. Use a new key for a new request, and repeat a request unchanged when you retry it. */
    public const IDEMPOTENCY_KEY_REUSED = 'idempotency_key_reused';
    /** 400. Your settlement balance is too small. Wait for further settlements, or ask the platform to allow an overdraft. */
    public const INSUFFICIENT_SETTLEMENT_BALANCE = 'insufficient_settlement_balance';
    /** 500. The service failed unexpectedly. Retry with the same Idempotency-Key. If it keeps failing, report the requestId. */
    public const INTERNAL_ERROR = 'internal_error';
    /** 401. The API key is not valid. The key is mistyped, unknown or revoked. Send a key that is in force. */
    public const INVALID_API_KEY = 'invalid_api_key';
    /** 400. A string has characters that are not allowed. Remove NUL characters and lone surrogates. */
    public const INVALID_CHARACTERS = 'invalid_characters';
    /** 400. The body is not valid JSON. Send one JSON document in UTF-8 in which no object has a field twice. */
    public const INVALID_JSON = 'invalid_json';
    /** 400. The items do not add up to the amount. Send items whose sum is the amount, or omit the amount. */
    public const ITEMS_AMOUNT_MISMATCH = 'items_amount_mismatch';
    /** 400. The body is nested too deeply. Nest objects and arrays at most 32 deep. */
    public const JSON_TOO_DEEP = 'json_too_deep';
    /** 503. No KYC provider is configured. The platform has no KYC provider for LIVE yet. TEST keys verify with the sandbox. */
    public const KYC_PROVIDER_NOT_CONFIGURED = 'kyc_provider_not_configured';
    /** 503. The KYC provider did not take the code. Send the same code again after Retry-After seconds. */
    public const KYC_PROVIDER_UNAVAILABLE = 'kyc_provider_unavailable';
    /** 404. You are not linked to such a person. Check user_id and service_id, the environment of your key, and that the person is linked to you. */
    public const LINKED_USER_NOT_FOUND = 'linked_user_not_found';
    /** 400. The request is not HTTP. Check what the client writes to the connection. */
    public const MALFORMED_REQUEST = 'malformed_request';
    /** 400. A merchant's business code was sent as a consumer identifier. Send the end user's identifier (SR1-…), not a merchant's (SRM-…). */
    public const MERCHANT_CODE_NOT_ACCEPTED = 'merchant_code_not_accepted';
    /** 403. The merchant's status does not allow this. GET /v1/whoami shows the status and the environments that it allows. LIVE needs an ACTIVE merchant. */
    public const MERCHANT_NOT_ACTIVE = 'merchant_not_active';
    /** 405. The route does not support this method. The Allow header lists its methods. */
    public const METHOD_NOT_ALLOWED = 'method_not_allowed';
    /** 401. The API key is missing. Send Authorization: Bearer and your secret key. */
    public const MISSING_API_KEY = 'missing_api_key';
    /** 406. The response has no content type that you accept. Accept application/json. */
    public const NOT_ACCEPTABLE = 'not_acceptable';
    /** 409. A payment with this id or reference is already recorded. field says which of the two is taken. Nothing was recorded. */
    public const PAYMENT_ALREADY_RECORDED = 'payment_already_recorded';
    /** 409. The payment has settled already. Nothing needs to be done. */
    public const PAYMENT_ALREADY_SETTLED = 'payment_already_settled';
    /** 400. transaction_id and reference name different payments. Send one of them, or two that name the same payment. */
    public const PAYMENT_IDENTIFIER_MISMATCH = 'payment_identifier_mismatch';
    /** 400. The request does not name a payment. Send transaction_id, or reference, or both. */
    public const PAYMENT_IDENTIFIER_REQUIRED = 'payment_identifier_required';
    /** 404. Payment not found. Check the identifier. A TEST key sees TEST payments only, a LIVE key LIVE ones. */
    public const PAYMENT_NOT_FOUND = 'payment_not_found';
    /** 400. The payment cannot be refunded to a wallet. Only payments from a wallet are refunded here. Refund others where they were paid. */
    public const PAYMENT_NOT_REFUNDABLE = 'payment_not_refundable';
    /** 400. The payment has not settled. Wait for transaction.settled and send the refund again with the same Idempotency-Key. */
    public const PAYMENT_NOT_SETTLED = 'payment_not_settled';
    /** 429. Too many requests. Retry the same request after Retry-After seconds, with the same Idempotency-Key: nothing was done. */
    public const RATE_LIMITED = 'rate_limited';
    /** 404. Refund not found. Check the refund's id and the environment of your key. */
    public const REFUND_NOT_FOUND = 'refund_not_found';
    /** 409. The refund is not waiting for the sandbox's wallet. Only a refund that is PENDING, of a test payment made with refund_outcome, can be settled. refundStatus says what it is. */
    public const REFUND_NOT_WAITING = 'refund_not_waiting';
    /** 403. The merchant may not refund. The platform has switched your refunds off. Ask it why. */
    public const REFUNDS_FORBIDDEN = 'refunds_forbidden';
    /** 408. The request took too long to arrive. Send it again within the time limit. */
    public const REQUEST_TIMEOUT = 'request_timeout';
    /** 400. The return_url is not one of yours. Send an https url at or below one of your allowed return urls, or ask the platform to add it. */
    public const RETURN_URL_NOT_ALLOWED = 'return_url_not_allowed';
    /** 404. Route not found. Check the path. */
    public const ROUTE_NOT_FOUND = 'route_not_found';
    /** 403. The API key may not do this. requiredScope names the scope that the key lacks. Use another key, or create one with that scope. */
    public const SCOPE_MISSING = 'scope_missing';
    /** 503. The service is temporarily unavailable. Retry the same request after Retry-After seconds, with the same Idempotency-Key. */
    public const SERVICE_UNAVAILABLE = 'service_unavailable';
    /** 400. user_id and service_id do not name the same person. Send one of them, or two that name the same person. */
    public const SUBJECT_MISMATCH = 'subject_mismatch';
    /** 400. The request does not name a person. Send user_id, or service_id, or both. */
    public const SUBJECT_REQUIRED = 'subject_required';
    /** 400. The test clock cannot move that far. leftSeconds says how far it can still move: 400 days in all. A new merchant has a new clock. */
    public const TEST_CLOCK_LIMIT = 'test_clock_limit';
    /** 400. The body has an unknown field. Check the field's spelling. Unknown fields are refused, since a misspelt amount must not become a full refund. */
    public const UNKNOWN_FIELD = 'unknown_field';
    /** 400. The query has an unknown parameter. Check the parameter's spelling. */
    public const UNKNOWN_PARAMETER = 'unknown_parameter';
    /** 415. The body is not JSON. Send Content-Type: application/json, in UTF-8 and not compressed. */
    public const UNSUPPORTED_MEDIA_TYPE = 'unsupported_media_type';
    /** 414. The url is too long. Send a path and query of at most 4,096 characters. */
    public const URI_TOO_LONG = 'uri_too_long';
    /** 400. The request is not valid. Correct every fault in errors and send the request again. */
    public const VALIDATION_FAILED = 'validation_failed';
    /** 409. The verification is in progress. Retry the same request after Retry-After seconds. */
    public const VERIFICATION_BUSY = 'verification_busy';
    /** 400. The person's consent is missing. Ask the person, and send verification_consent: true. No one is verified without it. */
    public const VERIFICATION_CONSENT_REQUIRED = 'verification_consent_required';
    /** 409. The verification is not waiting for a code. Read the verification: only one that is REQUIRES_ACTION takes the person's code. */
    public const VERIFICATION_NEEDS_NO_ACTION = 'verification_needs_no_action';
    /** 404. Verification not found. Check the reference, the environment of your key, and that the person is still linked to you. */
    public const VERIFICATION_NOT_FOUND = 'verification_not_found';
    /** 400. The consumer's wallet holds too little. Omit from_balance to fund the wallet first, or refund an earlier payment into it. */
    public const WALLET_BALANCE_TOO_SMALL = 'wallet_balance_too_small';
    /** 400. The customer's wallet declined the refund. Nothing was refunded. The detail says why; the same Idempotency-Key may be used again. */
    public const WALLET_DECLINED = 'wallet_declined';
    /** 503. It is not known yet whether the customer was credited. Send the same request with the same Idempotency-Key after Retry-After seconds; it never pays twice. */
    public const WALLET_UNAVAILABLE = 'wallet_unavailable';
}

/** Topics of events. */
final class Topic
{
    public const TRANSACTION_SETTLED = 'transaction.settled';
    public const REFUND_COMPLETED = 'refund.completed';
    public const MERCHANT_IDENTITY_CONSENT_GRANTED = 'merchant.identity.consent_granted';
    public const MERCHANT_IDENTITY_REQUEST_APPROVED = 'merchant.identity.request.approved';
    public const MERCHANT_IDENTITY_REQUEST_DENIED = 'merchant.identity.request.denied';
    public const MERCHANT_IDENTITY_REQUEST_EXPIRED = 'merchant.identity.request.expired';
    public const MERCHANT_IDENTITY_CONSENT_REVOKED = 'merchant.identity.consent_revoked';
    public const MERCHANT_IDENTITY_CONSENT_EXPIRED = 'merchant.identity.consent_expired';
    public const MERCHANT_IDENTITY_DATA_CHANGED = 'merchant.identity.data_changed';
    public const KYC_VERIFICATION_COMPLETED = 'kyc.verification.completed';
    public const REFUND_FAILED = 'refund.failed';
    public const ENDPOINT_DISABLED = 'endpoint.disabled';

    /** The class of each topic's payload. */
    public const PAYLOADS = [
        'transaction.settled' => Model\TransactionSettled::class,
        'refund.completed' => Model\RefundCompleted::class,
        'merchant.identity.consent_granted' => Model\ConsentGranted::class,
        'merchant.identity.request.approved' => Model\DataRequestApproved::class,
        'merchant.identity.request.denied' => Model\DataRequestDenied::class,
        'merchant.identity.request.expired' => Model\DataRequestExpired::class,
        'merchant.identity.consent_revoked' => Model\ConsentRevoked::class,
        'merchant.identity.consent_expired' => Model\ConsentExpired::class,
        'merchant.identity.data_changed' => Model\DataChanged::class,
        'kyc.verification.completed' => Model\VerificationCompleted::class,
        'refund.failed' => Model\RefundFailed::class,
        'endpoint.disabled' => Model\EndpointDisabled::class,
    ];

    /** A key that only this topic's payload has; with a value, the key has that value there alone. */
    public const MARKS = [
        'transaction.settled' => ['settledAt', null],
        'refund.completed' => ['status', 'COMPLETED'],
        'merchant.identity.consent_granted' => ['grantedAt', null],
        'merchant.identity.request.approved' => ['approvedFields', null],
        'merchant.identity.request.denied' => ['status', 'DENIED'],
        'merchant.identity.request.expired' => ['expiredAt', null],
        'merchant.identity.consent_revoked' => ['grantStatus', 'REVOKED'],
        'merchant.identity.consent_expired' => ['grantStatus', 'EXPIRED'],
        'merchant.identity.data_changed' => ['changedAt', null],
        'kyc.verification.completed' => ['checks', null],
        'refund.failed' => ['failedAt', null],
        'endpoint.disabled' => ['disabledAt', null],
    ];
}
