import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Metric } from "effect"

/** The backlog is counted no further than this. */
export const largestBacklog = 10_000

/** How long the store is waited for: whoever asks for metrics does not wait long. */
const patience = Duration.seconds(3)

export const backlog = Metric.gauge("webhook_backlog", {
  description: `Webhook deliveries to enabled endpoints that are due, counted up to ${largestBacklog}.`
})

export const oldestDueAgeSeconds = Metric.gauge("webhook_oldest_due_age_seconds", {
  description: "For how long the webhook delivery that has been due the longest has been due; 0 when none is."
})

export const disabledEndpoints = Metric.gauge("webhook_endpoints_disabled", {
  description: "Webhook endpoints that are disabled."
})

/** What the gauges say while the store does not: no number, rather than an old one. */
const unknown = { backlog: Number.NaN, oldestDueAge: Number.NaN, disabledEndpoints: Number.NaN }

const stats = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const now = yield* DateTime.now
  const { dueSince, ...counts } = yield* queue.stats(now, largestBacklog)
  return { ...counts, oldestDueAge: dueSince === undefined ? 0 : Duration.toSeconds(DateTime.distance(dueSince, now)) }
})

/**
 * Sets the gauges to how the queue stands now, in seconds and counts; to be run when they are read. Every process says
 * the same, since it is one queue. Does not fail: they are `NaN` where the store does not answer within 3 s.
 */
export const refresh: Effect.Effect<void, never, DeliveryQueue> = stats.pipe(
  Effect.timeout(patience),
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("The webhook queue's metrics are unknown", error.message), unknown)
  ),
  Effect.flatMap((read) =>
    Effect.all(
      [
        Metric.update(backlog, read.backlog),
        Metric.update(oldestDueAgeSeconds, read.oldestDueAge),
        Metric.update(disabledEndpoints, read.disabledEndpoints)
      ],
      { discard: true }
    )
  )
)
