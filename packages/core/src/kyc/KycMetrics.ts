import { Duration, Effect, Metric } from "effect"
import { isVerificationOpen, type Verification } from "./verification/Verification.js"

/** Counter of ended verifications, by `environment` and `status`. */
export const verifications = Metric.counter("kyc_verifications_total", {
  description: "Verifications that have ended, by environment and status.",
  incremental: true
})

/**
 * Histogram of the duration of calls to a provider, in seconds, including calls without a response. Its attributes are
 * `provider` and `call` (`submit`, `lookup`, `code`).
 */
export const providerSeconds = Metric.histogram("kyc_provider_call_duration_seconds", {
  description: "Duration of calls to a KYC provider, including failed ones.",
  boundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 7.5, 10]
})

/**
 * Gauge by `provider`: 1 if this process's circuit breaker for the provider is open or waits for a probe's result,
 * otherwise 0. Updated after each call that the breaker admits, so it stays 1 until such a call succeeds.
 */
export const breakerOpen = Metric.gauge("kyc_provider_breaker_open", {
  description: "1 while this process's circuit breaker for the KYC provider is open; else 0."
})

/** Adds 1 to `verifications` if the verification has ended. Call it once, after the end is stored. */
export const countEnded = ({ environment, status }: Verification): Effect.Effect<void> =>
  isVerificationOpen(status)
    ? Effect.void
    : Metric.update(Metric.withAttributes(verifications, { environment, status }), 1)

export const recordCall = (provider: string, call: string, took: Duration.Duration): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(providerSeconds, { provider, call }), Duration.toSeconds(took))

export const recordBreaker = (provider: string, isClosed: boolean): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(breakerOpen, { provider }), isClosed ? 0 : 1)
