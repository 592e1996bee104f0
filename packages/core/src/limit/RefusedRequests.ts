import { type Effect, Metric } from "effect"

/**
 * Counter of requests rejected by an API rate limit, or by the limits on unknown links and unknown consumers. Its
 * attribute `policy` is the limit's name.
 */
export const refusedRequests = Metric.counter("rate_limited_requests_total", {
  description: "Requests refused with 429, by limit.",
  incremental: true
})

/** Counts one request rejected by the limit `policy`. */
export const countRefused = (policy: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refusedRequests, { policy }), 1)
