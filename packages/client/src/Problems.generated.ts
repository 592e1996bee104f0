// Generated from the interface's definition by `vitest -u packages/client`.

import { BadRequest, Conflict, Forbidden, NotFound, ServerFailure, TooManyRequests, Unauthorized } from "./ServiceProblem.js"

/** 400. The amount is more than what is left to refund. refundable says what is left. A request without an amount asks for the original amount. */
export class AmountExceedsRefundable extends BadRequest<"amount_exceeds_refundable"> {
  declare readonly currency: string
  declare readonly original: number
  declare readonly refunded: number
  declare readonly refundable: number
}

/** 400. The amount has too many decimals. Send no more decimals than the currency has: two for NGN. Amounts are never rounded. */
export class AmountPrecision extends BadRequest<"amount_precision"> {}

/** 400. The code's channel is unknown. Send one of nextAction.channels, or none. */
export class CodeChannelUnknown extends BadRequest<"code_channel_unknown"> {}

/** 400. Consumer not found. Check the consumer identifier and the environment of your key. */
export class ConsumerNotFound extends BadRequest<"consumer_not_found"> {}

/** 400. The currencies differ. Send the payment's own currency, also in items. A missing currency means NGN. */
export class CurrencyMismatch extends BadRequest<"currency_mismatch"> {
  declare readonly currency: string
}

/** 400. The currency is not known. Send an ISO 4217 currency code, such as NGN. */
export class CurrencyUnknown extends BadRequest<"currency_unknown"> {}

/** 400. The customer has no wallet in this currency. Refund the customer by other means, or ask the platform. */
export class CustomerWalletMissing extends BadRequest<"customer_wallet_missing"> {}

/** 400. The Idempotency-Key header is not valid. Send one key of 1 to 255 printable ASCII characters. */
export class IdempotencyKeyInvalid extends BadRequest<"idempotency_key_invalid"> {}

/** 400. The Idempotency-Key header is missing. Send a key of your own choosing, unique for each operation, and repeat it when you retry. */
export class IdempotencyKeyRequired extends BadRequest<"idempotency_key_required"> {}

/** 400. Your settlement balance is too small. Wait for further settlements, or ask the platform to allow an overdraft. */
export class InsufficientSettlementBalance extends BadRequest<"insufficient_settlement_balance"> {}

/** 400. A string has characters that are not allowed. Remove NUL characters and lone surrogates. */
export class InvalidCharacters extends BadRequest<"invalid_characters"> {}

/** 400. The body is not valid JSON. Send one JSON document in UTF-8 in which no object has a field twice. */
export class InvalidJson extends BadRequest<"invalid_json"> {}

/** 400. The items do not add up to the amount. Send items whose sum is the amount, or omit the amount. */
export class ItemsAmountMismatch extends BadRequest<"items_amount_mismatch"> {}

/** 400. The body is nested too deeply. Nest objects and arrays at most 32 deep. */
export class JsonTooDeep extends BadRequest<"json_too_deep"> {}

/** 400. The request is not HTTP. Check what the client writes to the connection. */
export class MalformedRequest extends BadRequest<"malformed_request"> {}

/** 400. A merchant's business code was sent as a consumer identifier. Send the end user's identifier (SR1-…), not a merchant's (SRM-…). */
export class MerchantCodeNotAccepted extends BadRequest<"merchant_code_not_accepted"> {}

/** 400. transaction_id and reference name different payments. Send one of them, or two that name the same payment. */
export class PaymentIdentifierMismatch extends BadRequest<"payment_identifier_mismatch"> {}

/** 400. The request does not name a payment. Send transaction_id, or reference, or both. */
export class PaymentIdentifierRequired extends BadRequest<"payment_identifier_required"> {}

/** 400. The payment cannot be refunded to a wallet. Only payments from a wallet are refunded here. Refund others where they were paid. */
export class PaymentNotRefundable extends BadRequest<"payment_not_refundable"> {}

/** 400. The payment has not settled. Wait for transaction.settled and send the refund again with the same Idempotency-Key. */
export class PaymentNotSettled extends BadRequest<"payment_not_settled"> {}

/** 400. The return_url is not one of yours. Send an https url at or below one of your allowed return urls, or ask the platform to add it. */
export class ReturnUrlNotAllowed extends BadRequest<"return_url_not_allowed"> {}

/** 400. user_id and service_id do not name the same person. Send one of them, or two that name the same person. */
export class SubjectMismatch extends BadRequest<"subject_mismatch"> {}

/** 400. The request does not name a person. Send user_id, or service_id, or both. */
export class SubjectRequired extends BadRequest<"subject_required"> {}

/** 400. The test clock cannot move that far. leftSeconds says how far it can still move: 400 days in all. A new merchant has a new clock. */
export class TestClockLimit extends BadRequest<"test_clock_limit"> {}

/** 400. The body has an unknown field. Check the field's spelling. Unknown fields are refused, since a misspelt amount must not become a full refund. */
export class UnknownField extends BadRequest<"unknown_field"> {}

/** 400. The query has an unknown parameter. Check the parameter's spelling. */
export class UnknownParameter extends BadRequest<"unknown_parameter"> {}

/** 400. The request is not valid. Correct every fault in errors and send the request again. */
export class ValidationFailed extends BadRequest<"validation_failed"> {}

/** 400. The person's consent is missing. Ask the person, and send verification_consent: true. No one is verified without it. */
export class VerificationConsentRequired extends BadRequest<"verification_consent_required"> {}

/** 400. The consumer's wallet holds too little. Omit from_balance to fund the wallet first, or refund an earlier payment into it. */
export class WalletBalanceTooSmall extends BadRequest<"wallet_balance_too_small"> {}

/** 400. The customer's wallet declined the refund. Nothing was refunded. The detail says why; the same Idempotency-Key may be used again. */
export class WalletDeclined extends BadRequest<"wallet_declined"> {}

/** 401. The API key is not valid. The key is mistyped, unknown or revoked. Send a key that is in force. */
export class InvalidApiKey extends Unauthorized<"invalid_api_key"> {}

/** 401. The API key is missing. Send Authorization: Bearer and your secret key. */
export class MissingApiKey extends Unauthorized<"missing_api_key"> {}

/** 403. You may not ask this person. The person said that they do not know you, or told you to stop asking. Only the platform can lift the block: ask it, and do not retry. */
export class AskingBlocked extends Forbidden<"asking_blocked"> {}

/** 403. You may not read this person's data. Ask the person first: POST /v1/data-requests. An unknown identifier gets the same response. */
export class ConsentRequired extends Forbidden<"consent_required"> {}

/** 403. The merchant's status does not allow this. GET /v1/whoami shows the status and the environments that it allows. LIVE needs an ACTIVE merchant. */
export class MerchantNotActive extends Forbidden<"merchant_not_active"> {}

/** 403. The merchant may not refund. The platform has switched your refunds off. Ask it why. */
export class RefundsForbidden extends Forbidden<"refunds_forbidden"> {}

/** 403. The API key may not do this. requiredScope names the scope that the key lacks. Use another key, or create one with that scope. */
export class ScopeMissing extends Forbidden<"scope_missing"> {}

/** 404. Data request not found. Check the data request's id and the environment of your key. */
export class DataRequestNotFound extends NotFound<"data_request_not_found"> {}

/** 404. The merchant has no such webhook endpoint. List the merchant's endpoints. */
export class EndpointNotFound extends NotFound<"endpoint_not_found"> {}

/** 404. Event not found. Check the event's id and the environment of your key. */
export class EventNotFound extends NotFound<"event_not_found"> {}

/** 404. Grant not found. Check the grant's id and the environment of your key. */
export class GrantNotFound extends NotFound<"grant_not_found"> {}

/** 404. You are not linked to such a person. Check user_id and service_id, the environment of your key, and that the person is linked to you. */
export class LinkedUserNotFound extends NotFound<"linked_user_not_found"> {}

/** 404. Payment not found. Check the identifier. A TEST key sees TEST payments only, a LIVE key LIVE ones. */
export class PaymentNotFound extends NotFound<"payment_not_found"> {}

/** 404. Refund not found. Check the refund's id and the environment of your key. */
export class RefundNotFound extends NotFound<"refund_not_found"> {}

/** 404. Route not found. Check the path. */
export class RouteNotFound extends NotFound<"route_not_found"> {}

/** 404. Verification not found. Check the reference, the environment of your key, and that the person is still linked to you. */
export class VerificationNotFound extends NotFound<"verification_not_found"> {}

/** 405. The route does not support this method. The Allow header lists its methods. */
export class MethodNotAllowed extends BadRequest<"method_not_allowed"> {}

/** 406. The response has no content type that you accept. Accept application/json. */
export class NotAcceptable extends BadRequest<"not_acceptable"> {}

/** 408. The request took too long to arrive. Send it again within the time limit. */
export class RequestTimeout extends BadRequest<"request_timeout"> {}

/** 409. The payment is refunded in full. Nothing is left to refund. To read an earlier response again, send its own Idempotency-Key. */
export class AlreadyRefunded extends Conflict<"already_refunded"> {}

/** 409. The data request is no longer pending. dataRequestStatus is its status now. Make a new request to ask again. */
export class DataRequestDecided extends Conflict<"data_request_decided"> {}

/** 409. Events of that time are in an archive. Ask the platform to restore the month in the detail. To follow events again, start without a cursor. */
export class EventArchived extends Conflict<"event_archived"> {}

/** 409. The first request with this Idempotency-Key is still in progress. Retry the same request after Retry-After seconds. */
export class IdempotencyInProgress extends Conflict<"idempotency_in_progress"> {}

/** 409. The Idempotency-Key was used for another request. Use a new key for a new request, and repeat a request unchanged when you retry it. */
export class IdempotencyKeyReused extends Conflict<"idempotency_key_reused"> {}

/** 409. A payment with this id or reference is already recorded. field says which of the two is taken. Nothing was recorded. */
export class PaymentAlreadyRecorded extends Conflict<"payment_already_recorded"> {}

/** 409. The payment has settled already. Nothing needs to be done. */
export class PaymentAlreadySettled extends Conflict<"payment_already_settled"> {}

/** 409. The refund is not waiting for the sandbox's wallet. Only a refund that is PENDING, of a test payment made with refund_outcome, can be settled. refundStatus says what it is. */
export class RefundNotWaiting extends Conflict<"refund_not_waiting"> {}

/** 409. The verification is in progress. Retry the same request after Retry-After seconds. */
export class VerificationBusy extends Conflict<"verification_busy"> {}

/** 409. The verification is not waiting for a code. Read the verification: only one that is REQUIRES_ACTION takes the person's code. */
export class VerificationNeedsNoAction extends Conflict<"verification_needs_no_action"> {}

/** 413. The body is too large. Send at most 256 KiB; to verify a person, 16 MiB. */
export class BodyTooLarge extends BadRequest<"body_too_large"> {}

/** 414. The url is too long. Send a path and query of at most 4,096 characters. */
export class UriTooLong extends BadRequest<"uri_too_long"> {}

/** 415. The body is not JSON. Send Content-Type: application/json, in UTF-8 and not compressed. */
export class UnsupportedMediaType extends BadRequest<"unsupported_media_type"> {}

/** 429. This person refused recently. The same fields for the same purpose may be asked for again after Retry-After seconds. */
export class AskedRecently extends TooManyRequests<"asked_recently"> {}

/** 429. You have asked this person too often. Too many of your requests are waiting for this person, or were made in the last 24 hours. Retry after Retry-After seconds. */
export class AskedTooOften extends TooManyRequests<"asked_too_often"> {}

/** 429. Too many requests. Retry the same request after Retry-After seconds, with the same Idempotency-Key: nothing was done. */
export class RateLimited extends TooManyRequests<"rate_limited"> {}

/** 431. The headers are too large. Send at most 16 KiB of headers. */
export class HeadersTooLarge extends BadRequest<"headers_too_large"> {}

/** 500. The service failed unexpectedly. Retry with the same Idempotency-Key. If it keeps failing, report the requestId. */
export class InternalError extends ServerFailure<"internal_error"> {}

/** 503. The platform's records of people did not respond. Nothing was disclosed. Retry the same request after Retry-After seconds. */
export class DirectoryUnavailable extends ServerFailure<"directory_unavailable"> {}

/** 503. No KYC provider is configured. The platform has no KYC provider for LIVE yet. TEST keys verify with the sandbox. */
export class KycProviderNotConfigured extends ServerFailure<"kyc_provider_not_configured"> {}

/** 503. The KYC provider did not take the code. Send the same code again after Retry-After seconds. */
export class KycProviderUnavailable extends ServerFailure<"kyc_provider_unavailable"> {}

/** 503. The service is temporarily unavailable. Retry the same request after Retry-After seconds, with the same Idempotency-Key. */
export class ServiceUnavailable extends ServerFailure<"service_unavailable"> {}

/** 503. It is not known yet whether the customer was credited. Send the same request with the same Idempotency-Key after Retry-After seconds; it never pays twice. */
export class WalletUnavailable extends ServerFailure<"wallet_unavailable"> {}

/** The class of each code. */
export const problemClasses = {
  amount_exceeds_refundable: AmountExceedsRefundable,
  amount_precision: AmountPrecision,
  code_channel_unknown: CodeChannelUnknown,
  consumer_not_found: ConsumerNotFound,
  currency_mismatch: CurrencyMismatch,
  currency_unknown: CurrencyUnknown,
  customer_wallet_missing: CustomerWalletMissing,
  idempotency_key_invalid: IdempotencyKeyInvalid,
  idempotency_key_required: IdempotencyKeyRequired,
  insufficient_settlement_balance: InsufficientSettlementBalance,
  invalid_characters: InvalidCharacters,
  invalid_json: InvalidJson,
  items_amount_mismatch: ItemsAmountMismatch,
  json_too_deep: JsonTooDeep,
  malformed_request: MalformedRequest,
  merchant_code_not_accepted: MerchantCodeNotAccepted,
  payment_identifier_mismatch: PaymentIdentifierMismatch,
  payment_identifier_required: PaymentIdentifierRequired,
  payment_not_refundable: PaymentNotRefundable,
  payment_not_settled: PaymentNotSettled,
  return_url_not_allowed: ReturnUrlNotAllowed,
  subject_mismatch: SubjectMismatch,
  subject_required: SubjectRequired,
  test_clock_limit: TestClockLimit,
  unknown_field: UnknownField,
  unknown_parameter: UnknownParameter,
  validation_failed: ValidationFailed,
  verification_consent_required: VerificationConsentRequired,
  wallet_balance_too_small: WalletBalanceTooSmall,
  wallet_declined: WalletDeclined,
  invalid_api_key: InvalidApiKey,
  missing_api_key: MissingApiKey,
  asking_blocked: AskingBlocked,
  consent_required: ConsentRequired,
  merchant_not_active: MerchantNotActive,
  refunds_forbidden: RefundsForbidden,
  scope_missing: ScopeMissing,
  data_request_not_found: DataRequestNotFound,
  endpoint_not_found: EndpointNotFound,
  event_not_found: EventNotFound,
  grant_not_found: GrantNotFound,
  linked_user_not_found: LinkedUserNotFound,
  payment_not_found: PaymentNotFound,
  refund_not_found: RefundNotFound,
  route_not_found: RouteNotFound,
  verification_not_found: VerificationNotFound,
  method_not_allowed: MethodNotAllowed,
  not_acceptable: NotAcceptable,
  request_timeout: RequestTimeout,
  already_refunded: AlreadyRefunded,
  data_request_decided: DataRequestDecided,
  event_archived: EventArchived,
  idempotency_in_progress: IdempotencyInProgress,
  idempotency_key_reused: IdempotencyKeyReused,
  payment_already_recorded: PaymentAlreadyRecorded,
  payment_already_settled: PaymentAlreadySettled,
  refund_not_waiting: RefundNotWaiting,
  verification_busy: VerificationBusy,
  verification_needs_no_action: VerificationNeedsNoAction,
  body_too_large: BodyTooLarge,
  uri_too_long: UriTooLong,
  unsupported_media_type: UnsupportedMediaType,
  asked_recently: AskedRecently,
  asked_too_often: AskedTooOften,
  rate_limited: RateLimited,
  headers_too_large: HeadersTooLarge,
  internal_error: InternalError,
  directory_unavailable: DirectoryUnavailable,
  kyc_provider_not_configured: KycProviderNotConfigured,
  kyc_provider_unavailable: KycProviderUnavailable,
  service_unavailable: ServiceUnavailable,
  wallet_unavailable: WalletUnavailable
} as const

/** A code that this version of the client knows. */
export type ProblemCode = keyof typeof problemClasses

/** Every problem that this version of the client knows: `switch` over `code`. */
export type KnownProblem =
  | AmountExceedsRefundable
  | AmountPrecision
  | CodeChannelUnknown
  | ConsumerNotFound
  | CurrencyMismatch
  | CurrencyUnknown
  | CustomerWalletMissing
  | IdempotencyKeyInvalid
  | IdempotencyKeyRequired
  | InsufficientSettlementBalance
  | InvalidCharacters
  | InvalidJson
  | ItemsAmountMismatch
  | JsonTooDeep
  | MalformedRequest
  | MerchantCodeNotAccepted
  | PaymentIdentifierMismatch
  | PaymentIdentifierRequired
  | PaymentNotRefundable
  | PaymentNotSettled
  | ReturnUrlNotAllowed
  | SubjectMismatch
  | SubjectRequired
  | TestClockLimit
  | UnknownField
  | UnknownParameter
  | ValidationFailed
  | VerificationConsentRequired
  | WalletBalanceTooSmall
  | WalletDeclined
  | InvalidApiKey
  | MissingApiKey
  | AskingBlocked
  | ConsentRequired
  | MerchantNotActive
  | RefundsForbidden
  | ScopeMissing
  | DataRequestNotFound
  | EndpointNotFound
  | EventNotFound
  | GrantNotFound
  | LinkedUserNotFound
  | PaymentNotFound
  | RefundNotFound
  | RouteNotFound
  | VerificationNotFound
  | MethodNotAllowed
  | NotAcceptable
  | RequestTimeout
  | AlreadyRefunded
  | DataRequestDecided
  | EventArchived
  | IdempotencyInProgress
  | IdempotencyKeyReused
  | PaymentAlreadyRecorded
  | PaymentAlreadySettled
  | RefundNotWaiting
  | VerificationBusy
  | VerificationNeedsNoAction
  | BodyTooLarge
  | UriTooLong
  | UnsupportedMediaType
  | AskedRecently
  | AskedTooOften
  | RateLimited
  | HeadersTooLarge
  | InternalError
  | DirectoryUnavailable
  | KycProviderNotConfigured
  | KycProviderUnavailable
  | ServiceUnavailable
  | WalletUnavailable
