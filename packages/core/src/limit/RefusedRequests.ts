import { type Effect, Metric } from "effect"

/**
 * Counter of requests rejected by a rate limit, except sign-ins to the console. Its attribute `policy` is the limit's
 * name.
 */
export const refusedRequests = Metric.counter("rate_limited_requests_total", {
  description: "Requests that were answered 429, by the limit that refused them.",
  incremental: true
})

/** Counts one request rejected by the limit `policy`. */
export const countRefused = (policy: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(refusedRequests, { policy }), 1)
