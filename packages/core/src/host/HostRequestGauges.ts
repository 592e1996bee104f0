import { DateTime, Duration, Effect, Metric } from "effect"
import { HostRequestStore } from "./HostRequestStore.js"

/** Limit up to which the backlog is counted. */
export const largestBacklog = 10_000

/** Shorter than the usual scrape timeout, so that the scrape still succeeds. */
const storeTimeout = Duration.seconds(3)

export const pendingRequests = Metric.gauge("host_requests_pending", {
  description: `The host's queued requests that are pending, counted up to ${largestBacklog}.`
})

export const oldestRequestAge = Metric.gauge("host_requests_oldest_age_seconds", {
  description: "Age of the oldest pending request of the host; 0 if none is pending."
})

/**
 * Returns the number of pending requests, counted up to `largestBacklog`, and the age of the oldest in seconds. Both
 * are 0 if none is pending.
 */
export const backlog = Effect.gen(function* () {
  const store = yield* HostRequestStore
  const { oldestAt, pending } = yield* store.stats(largestBacklog)
  const now = yield* DateTime.now
  const age = oldestAt === undefined ? 0 : Math.max(0, Duration.toSeconds(DateTime.distance(oldestAt, now)))
  return { pending, oldestAgeSeconds: age }
})

/**
 * Sets the gauges. Run it when metrics are read. Never fails: if the store fails or takes longer than 3 s, both gauges
 * are `NaN`.
 */
export const refresh: Effect.Effect<void, never, HostRequestStore> = backlog.pipe(
  Effect.timeout(storeTimeout),
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("Host request metrics unavailable", error.message), {
      pending: Number.NaN,
      oldestAgeSeconds: Number.NaN
    })
  ),
  Effect.flatMap(({ oldestAgeSeconds, pending }) =>
    Effect.andThen(Metric.update(pendingRequests, pending), Metric.update(oldestRequestAge, oldestAgeSeconds))
  )
)
