import { PlatformFeed } from "@surety/core/event/PlatformFeed"
import { DateTime, Duration, Effect, Metric } from "effect"

/** The backlog is counted up to this number. */
export const largestBacklog = 10_000

/** Shorter than Prometheus' default scrape timeout, so that a slow store does not fail the scrape. */
const storeTimeout = Duration.seconds(3)

const attempts = (result: "delivered" | "failed") =>
  Metric.counter("platform_event_attempts_total", {
    description: "Calls to PLATFORM_EVENTS_URL, by result.",
    incremental: true,
    attributes: { result }
  })

const delivered = attempts("delivered")
const failed = attempts("failed")

export const countDelivered: Effect.Effect<void> = Metric.update(delivered, 1)
export const countFailed: Effect.Effect<void> = Metric.update(failed, 1)

const backlog = Metric.gauge("platform_event_backlog", {
  description: `Events that the platform has not confirmed, counted up to ${largestBacklog}.`
})

const oldestAgeSeconds = Metric.gauge("platform_event_oldest_age_seconds", {
  description: "Age of the oldest event that the platform has not confirmed; 0 if all are confirmed."
})

const failingMerchants = Metric.gauge("platform_event_failing_merchants", {
  description: "Merchants whose next event could not be sent to the platform and is retried."
})

const measured = Effect.gen(function* () {
  const feed = yield* PlatformFeed
  const now = yield* DateTime.now
  const stats = yield* feed.stats(now, largestBacklog)
  const { oldestAt } = stats
  return {
    backlog: stats.backlog,
    oldest: oldestAt === undefined ? 0 : Duration.toSeconds(DateTime.distance(oldestAt, now)),
    failing: stats.failing
  }
})

/** Values reported if the store fails or is too slow, since stale numbers would mislead. */
const unknown = { backlog: Number.NaN, oldest: Number.NaN, failing: Number.NaN }

/**
 * Updates the gauges from the feed. Run it when metrics are read. Never fails: the gauges are `NaN` if the store fails
 * or takes longer than 3 s.
 */
export const refresh: Effect.Effect<void, never, PlatformFeed> = measured.pipe(
  Effect.timeout(storeTimeout),
  Effect.catch((error) => Effect.as(Effect.logWarning("Platform event metrics unavailable", error.message), unknown)),
  Effect.flatMap((gauges) =>
    Effect.all(
      [
        Metric.update(backlog, gauges.backlog),
        Metric.update(oldestAgeSeconds, Math.max(0, gauges.oldest)),
        Metric.update(failingMerchants, gauges.failing)
      ],
      { discard: true }
    )
  )
)
