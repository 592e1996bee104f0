export interface ProblemMeaning {
  readonly status: number
  readonly title: string
  /** Advice to the caller, or an explanation, in one to three sentences. The default `detail` of the problem. */
  readonly advice: string
}

export const meaning = (status: number, title: string, advice: string): ProblemMeaning => ({ status, title, advice })

export const archiveCodes = {
  event_archived: meaning(
    409,
    "Events of that time are in an archive",
    "Ask the platform to restore the month in the detail. To follow events again, start without a cursor."
  )
} as const satisfies Record<string, ProblemMeaning>

export const bodyCodes = {
  body_too_large: meaning(413, "The body is too large", "Send at most 256 KiB; to verify a person, 16 MiB."),
  uri_too_long: meaning(414, "The url is too long", "Send a path and query of at most 4,096 characters."),
  unsupported_media_type: meaning(
    415,
    "The body is not JSON",
    "Send Content-Type: application/json, in UTF-8 and not compressed."
  )
} as const satisfies Record<string, ProblemMeaning>

export const tooManyCodes = {
  rate_limited: meaning(
    429,
    "Too many requests",
    "Retry the same request after Retry-After seconds, with the same Idempotency-Key: nothing was done."
  ),
  erasures_exhausted: meaning(
    429,
    "The daily limit of erasures is reached",
    "The owner of the tables limits erasures within 24 hours. Nothing was erased. Retry later."
  ),
  asked_too_often: meaning(
    429,
    "You have asked this person too often",
    "Too many of your requests are waiting for this person, or were made in the last 24 hours. Retry after Retry-After seconds."
  ),
  asked_recently: meaning(
    429,
    "This person refused recently",
    "The same fields for the same purpose may be asked for again after Retry-After seconds."
  )
} as const satisfies Record<string, ProblemMeaning>

export const unavailableCodes = {
  internal_error: meaning(
    500,
    "The service failed unexpectedly",
    "Retry with the same Idempotency-Key. If it keeps failing, report the requestId."
  ),
  service_unavailable: meaning(
    503,
    "The service is temporarily unavailable",
    "Retry the same request after Retry-After seconds, with the same Idempotency-Key."
  ),
  wallet_unavailable: meaning(
    503,
    "It is not known yet whether the customer was credited",
    "Send the same request with the same Idempotency-Key after Retry-After seconds; it never pays twice."
  ),
  directory_unavailable: meaning(
    503,
    "The platform's records of people did not respond",
    "Nothing was disclosed. Retry the same request after Retry-After seconds."
  ),
  kyc_provider_not_configured: meaning(
    503,
    "No KYC provider is configured",
    "The platform has no KYC provider for LIVE yet. TEST keys verify with the sandbox."
  ),
  kyc_provider_unavailable: meaning(
    503,
    "The KYC provider did not take the code",
    "Send the same code again after Retry-After seconds."
  ),
  not_ready: meaning(503, "The service is not ready", "Retry after Retry-After seconds.")
} as const satisfies Record<string, ProblemMeaning>

export const scopeCodes = {
  scope_missing: meaning(
    403,
    "The API key may not do this",
    "requiredScope names the scope that the key lacks. Use another key, or create one with that scope."
  )
} as const satisfies Record<string, ProblemMeaning>

export const sandboxCodes = {
  wallet_balance_too_small: meaning(
    400,
    "The consumer's wallet holds too little",
    "Omit from_balance to fund the wallet first, or refund an earlier payment into it."
  ),
  test_clock_limit: meaning(
    400,
    "The test clock cannot move that far",
    "leftSeconds says how far it can still move: 400 days in all. A new merchant has a new clock."
  ),
  refund_not_waiting: meaning(
    409,
    "The refund is not waiting for the sandbox's wallet",
    "Only a refund that is PENDING, of a test payment made with refund_outcome, can be settled. refundStatus says what it is."
  )
} as const satisfies Record<string, ProblemMeaning>

export const approvalCodes = {
  confirmation_differs: meaning(
    400,
    "The confirmation does not match the proposal",
    "Read the proposal, and send its amount or its person again."
  ),
  proposal_not_found: meaning(404, "Proposal not found", "Check the proposal's id."),
  proposal_closed: meaning(
    409,
    "The proposal can no longer be decided this way",
    "It was decided, has expired, or is being carried out. Read it for its status."
  ),
  proposed_change_refused: meaning(
    409,
    "The approved change was refused",
    "The detail says why. An erasure that waits for refunds stays open. Any other proposal is closed; make a new one once the reason is gone."
  )
} as const satisfies Record<string, ProblemMeaning>
