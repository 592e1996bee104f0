import {
  approvalCodes,
  archiveCodes,
  bodyCodes,
  meaning,
  type ProblemMeaning,
  sandboxCodes,
  scopeCodes,
  tooManyCodes,
  unavailableCodes
} from "./ProblemMeaning.js"

/**
 * The stable codes of problems (contract 12). The documentation of errors is generated from this table. An item of
 * `errors` may instead have one of `faultCodes`, or a `TargetPolicy` code for a webhook url.
 */
export const problemCodes = {
  invalid_json: meaning(
    400,
    "The body is not valid JSON",
    "Send one JSON document in UTF-8 in which no object has a field twice."
  ),
  json_too_deep: meaning(400, "The body is nested too deeply", "Nest objects and arrays at most 32 deep."),
  malformed_request: meaning(400, "The request is not HTTP", "Check what the client writes to the connection."),
  validation_failed: meaning(
    400,
    "The request is not valid",
    "Correct every fault in errors and send the request again."
  ),
  unknown_field: meaning(
    400,
    "The body has an unknown field",
    "Check the field's spelling. Unknown fields are refused, since a misspelt amount must not become a full refund."
  ),
  unknown_parameter: meaning(400, "The query has an unknown parameter", "Check the parameter's spelling."),
  invalid_characters: meaning(
    400,
    "A string has characters that are not allowed",
    "Remove NUL characters and lone surrogates."
  ),
  idempotency_key_required: meaning(
    400,
    "The Idempotency-Key header is missing",
    "Send a key of your own choosing, unique for each operation, and repeat it when you retry."
  ),
  idempotency_key_invalid: meaning(
    400,
    "The Idempotency-Key header is not valid",
    "Send one key of 1 to 255 printable ASCII characters."
  ),
  payment_identifier_required: meaning(
    400,
    "The request does not name a payment",
    "Send transaction_id, or reference, or both."
  ),
  payment_identifier_mismatch: meaning(
    400,
    "transaction_id and reference name different payments",
    "Send one of them, or two that name the same payment."
  ),
  subject_required: meaning(400, "The request does not name a person", "Send user_id, or service_id, or both."),
  subject_mismatch: meaning(
    400,
    "user_id and service_id do not name the same person",
    "Send one of them, or two that name the same person."
  ),
  verification_consent_required: meaning(
    400,
    "The person's consent is missing",
    "Ask the person, and send verification_consent: true. No one is verified without it."
  ),
  code_channel_unknown: meaning(400, "The code's channel is unknown", "Send one of nextAction.channels, or none."),
  merchant_code_not_accepted: meaning(
    400,
    "A merchant's business code was sent as a consumer identifier",
    "Send the end user's identifier (SR1-…), not a merchant's (SRM-…)."
  ),
  consumer_not_found: meaning(
    400,
    "Consumer not found",
    "Check the consumer identifier and the environment of your key."
  ),
  return_url_not_allowed: meaning(
    400,
    "The return_url is not one of yours",
    "Send an https url at or below one of your allowed return urls, or ask the platform to add it."
  ),
  amount_precision: meaning(
    400,
    "The amount has too many decimals",
    "Send no more decimals than the currency has: two for NGN. Amounts are never rounded."
  ),
  currency_unknown: meaning(400, "The currency is not known", "Send an ISO 4217 currency code, such as NGN."),
  currency_mismatch: meaning(
    400,
    "The currencies differ",
    "Send the payment's own currency, also in items. A missing currency means NGN."
  ),
  items_amount_mismatch: meaning(
    400,
    "The items do not add up to the amount",
    "Send items whose sum is the amount, or omit the amount."
  ),
  webhook_url_not_allowed: meaning(
    400,
    "Webhooks cannot be sent to this url",
    "Send a public https url on port 443 or above 1023, without user name and password. The fault's code says what is wrong."
  ),
  payment_not_settled: meaning(
    400,
    "The payment has not settled",
    "Wait for transaction.settled and send the refund again with the same Idempotency-Key."
  ),
  payment_not_refundable: meaning(
    400,
    "The payment cannot be refunded to a wallet",
    "Only payments from a wallet are refunded here. Refund others where they were paid."
  ),
  amount_exceeds_refundable: meaning(
    400,
    "The amount is more than what is left to refund",
    "refundable says what is left. A request without an amount asks for the original amount."
  ),
  customer_wallet_missing: meaning(
    400,
    "The customer has no wallet in this currency",
    "Refund the customer by other means, or ask the platform."
  ),
  insufficient_balance: meaning(400, "The account's balance is too small", "Move no more than the account has."),
  insufficient_settlement_balance: meaning(
    400,
    "Your settlement balance is too small",
    "Wait for further settlements, or ask the platform to allow an overdraft."
  ),
  wallet_declined: meaning(
    400,
    "The customer's wallet declined the refund",
    "Nothing was refunded. The detail says why; the same Idempotency-Key may be used again."
  ),
  missing_api_key: meaning(401, "The API key is missing", "Send Authorization: Bearer and your secret key."),
  invalid_api_key: meaning(
    401,
    "The API key is not valid",
    "The key is mistyped, unknown or revoked. Send a key that is in force."
  ),
  missing_operator_token: meaning(
    401,
    "The operator's token is missing",
    "Send Authorization: Bearer and the operator's token."
  ),
  callback_not_authentic: meaning(401, "The callback is not authentic", "Sign the body as sent, as the vendor does."),
  invalid_operator_token: meaning(401, "The operator's token is not valid", "Send the token of this deployment."),
  operator_forbidden: meaning(
    403,
    "The operator's role does not allow this",
    "Ask an admin, or the role in the detail."
  ),
  merchant_not_active: meaning(
    403,
    "The merchant's status does not allow this",
    "GET /v1/whoami shows the status and the environments that it allows. LIVE needs an ACTIVE merchant."
  ),
  host_not_allowed: meaning(
    403,
    "The Host header names another server",
    "Call it by its address, by localhost, or by the name in PUBLIC_URL or HOST; or send the operator's token."
  ),
  refunds_forbidden: meaning(
    403,
    "The merchant may not refund",
    "The platform has switched your refunds off. Ask it why."
  ),
  consent_required: meaning(
    403,
    "You may not read this person's data",
    "Ask the person first: POST /v1/data-requests. An unknown identifier gets the same response."
  ),
  asking_blocked: meaning(
    403,
    "You may not ask this person",
    "The person said that they do not know you, or told you to stop asking. Only the platform can lift the block: ask it, and do not retry."
  ),
  route_not_found: meaning(404, "Route not found", "Check the path."),
  merchant_not_found: meaning(404, "Merchant not found", "Check the merchant's id."),
  api_key_not_found: meaning(404, "The merchant has no such API key", "List the merchant's keys."),
  event_not_found: meaning(404, "Event not found", "Check the event's id and the environment of your key."),
  endpoint_not_found: meaning(404, "The merchant has no such webhook endpoint", "List the merchant's endpoints."),
  payment_not_found: meaning(
    404,
    "Payment not found",
    "Check the identifier. A TEST key sees TEST payments only, a LIVE key LIVE ones."
  ),
  account_not_found: meaning(404, "Account not found", "Send an id from the list of balances."),
  refund_not_found: meaning(404, "Refund not found", "Check the refund's id and the environment of your key."),
  data_request_not_found: meaning(
    404,
    "Data request not found",
    "Check the data request's id and the environment of your key."
  ),
  grant_not_found: meaning(404, "Grant not found", "Check the grant's id and the environment of your key."),
  asking_block_not_found: meaning(
    404,
    "The merchant is not blocked from asking this person",
    "Check the consumer identifier and the environment, or list the merchant's asking blocks."
  ),
  link_not_found: meaning(
    404,
    "The consumer is not linked to the merchant",
    "Check the consumer identifier and the environment. To end a grant, revoke it."
  ),
  person_not_found: meaning(404, "Person not found", "Check the identifier and the environment."),
  rights_request_not_found: meaning(404, "Rights request not found", "Check its id and the environment."),
  linked_user_not_found: meaning(
    404,
    "You are not linked to such a person",
    "Check user_id and service_id, the environment of your key, and that the person is linked to you."
  ),
  verification_not_found: meaning(
    404,
    "Verification not found",
    "Check the reference, the environment of your key, and that the person is still linked to you."
  ),
  method_not_allowed: meaning(405, "The route does not support this method", "The Allow header lists its methods."),
  not_acceptable: meaning(406, "The response has no content type that you accept", "Accept application/json."),
  request_timeout: meaning(408, "The request took too long to arrive", "Send it again within the time limit."),
  already_refunded: meaning(
    409,
    "The payment is refunded in full",
    "Nothing is left to refund. To read an earlier response again, send its own Idempotency-Key."
  ),
  idempotency_key_reused: meaning(
    409,
    "The Idempotency-Key was used for another request",
    "Use a new key for a new request, and repeat a request unchanged when you retry it."
  ),
  idempotency_in_progress: meaning(
    409,
    "The first request with this Idempotency-Key is still in progress",
    "Retry the same request after Retry-After seconds."
  ),
  data_request_decided: meaning(
    409,
    "The data request is no longer pending",
    "dataRequestStatus is its status now. Make a new request to ask again."
  ),
  verification_needs_no_action: meaning(
    409,
    "The verification is not waiting for a code",
    "Read the verification: only one that is REQUIRES_ACTION takes the person's code."
  ),
  verification_busy: meaning(
    409,
    "The verification is in progress",
    "Retry the same request after Retry-After seconds."
  ),
  status_change_not_allowed: meaning(
    409,
    "The merchant's status cannot change this way",
    "allowed lists the statuses that the merchant may take now."
  ),
  ...archiveCodes,
  endpoint_disabled: meaning(
    409,
    "The webhook endpoint is disabled",
    "Enable it first. disabledReason says why it was disabled."
  ),
  too_many_endpoints: meaning(409, "The merchant has the maximum number of webhook endpoints", "Remove one first."),
  service_id_taken: meaning(
    409,
    "The consumer identifier is taken",
    "Another consumer of this environment has it. Omit it to get a new one."
  ),
  user_id_taken: meaning(
    409,
    "The user's id is taken",
    "Another consumer of this environment has it. Omit it to get a new one."
  ),
  payment_already_recorded: meaning(
    409,
    "A payment with this id or reference is already recorded",
    "field says which of the two is taken. Nothing was recorded."
  ),
  person_has_pending_refunds: meaning(409, "Refunds to this person are pending", "Erase them once those have settled."),
  payment_already_settled: meaning(409, "The payment has settled already", "Nothing needs to be done."),
  ...bodyCodes,
  ...tooManyCodes,
  headers_too_large: meaning(431, "The headers are too large", "Send at most 16 KiB of headers."),
  ...unavailableCodes,
  ...scopeCodes,
  ...sandboxCodes,
  ...approvalCodes
} as const satisfies Record<string, ProblemMeaning>

export type ProblemCode = keyof typeof problemCodes

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemCodes, code)
