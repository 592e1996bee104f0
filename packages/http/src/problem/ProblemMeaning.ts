/** The meaning of a code: its HTTP status, a short title that never changes, and advice. */
export interface ProblemMeaning {
  readonly status: number
  readonly title: string
  /** What the caller should do, in a sentence or two. */
  readonly advice: string
}

/** One row of the table of codes. */
export const meaning = (status: number, title: string, advice: string): ProblemMeaning => ({ status, title, advice })

/** The codes of 503. */
export const unavailableCodes = {
  service_unavailable: meaning(
    503,
    "The service cannot answer now",
    "Send the same request again after Retry-After seconds, with the same Idempotency-Key."
  ),
  wallet_unavailable: meaning(
    503,
    "It is not known yet whether the customer was credited",
    "Send the same request with the same Idempotency-Key after Retry-After seconds; it never pays twice."
  ),
  directory_unavailable: meaning(
    503,
    "The platform's records of people did not answer",
    "Nothing was handed out. Send the same request again after Retry-After seconds."
  ),
  kyc_provider_not_configured: meaning(
    503,
    "Nobody verifies persons here",
    "The platform has no KYC provider for LIVE yet. TEST keys verify with the sandbox."
  ),
  kyc_provider_unavailable: meaning(
    503,
    "The KYC provider did not take the code",
    "Send the same code again after Retry-After seconds."
  ),
  not_ready: meaning(503, "The service is not ready", "Ask again after Retry-After seconds.")
} as const satisfies Record<string, ProblemMeaning>

/** The codes of keys with scopes. */
export const scopeCodes = {
  scope_missing: meaning(
    403,
    "The API key may not do this",
    "requiredScope names the scope that the key lacks. Use another key, or have one made with that scope."
  )
} as const satisfies Record<string, ProblemMeaning>

/** The codes of test helpers. */
export const sandboxCodes = {
  wallet_balance_too_small: meaning(
    400,
    "The consumer's wallet holds too little",
    "Leave out from_balance to fund the wallet first, or refund an earlier payment into it."
  ),
  test_clock_limit: meaning(
    400,
    "The test clock cannot move so far",
    "leftSeconds says how far it still moves: 400 days in all. A new merchant has a new clock."
  ),
  refund_not_waiting: meaning(
    409,
    "The refund does not wait for the sandbox's wallet",
    "Only a refund that is PENDING, of a test payment made with refund_outcome, can be settled. refundStatus says what it is."
  )
} as const satisfies Record<string, ProblemMeaning>
