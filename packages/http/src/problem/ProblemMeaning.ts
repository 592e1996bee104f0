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
