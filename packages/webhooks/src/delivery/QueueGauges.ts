import { type DeliveryLane, DeliveryQueue, deliveryLanes, type LaneStats } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Metric } from "effect"

/** The backlog is counted no further than this. */
export const largestBacklog = 10_000

/** How long the store is waited for: whoever asks for metrics does not wait long. */
const patience = Duration.seconds(3)

export const backlog = Metric.gauge("webhook_backlog", {
  description: `Webhook deliveries to enabled endpoints that are due, by lane, each counted up to ${largestBacklog}.`
})

export const oldestDueAgeSeconds = Metric.gauge("webhook_oldest_due_age_seconds", {
  description: "For how long the longest due webhook delivery of a lane has been due; 0 if none is."
})

export const disabledEndpoints = Metric.gauge("webhook_endpoints_disabled", {
  description: "Webhook endpoints that are disabled."
})

interface LaneRead {
  readonly backlog: number
  readonly oldestDueAge: number
}

interface Read {
  readonly lanes: Readonly<Record<DeliveryLane, LaneRead>>
  readonly disabledEndpoints: number
}

const unknownLane: LaneRead = { backlog: Number.NaN, oldestDueAge: Number.NaN }

/** What the gauges say while the store does not: no number, rather than an old one. */
const unknown: Read = {
  lanes: { steady: unknownLane, busy: unknownLane, failing: unknownLane },
  disabledEndpoints: Number.NaN
}

const laneOf = ({ backlog, dueSince }: LaneStats, now: DateTime.Utc): LaneRead => ({
  backlog,
  oldestDueAge: dueSince === undefined ? 0 : Duration.toSeconds(DateTime.distance(dueSince, now))
})

const stats = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const now = yield* DateTime.now
  const { disabledEndpoints, lanes } = yield* queue.stats(now, largestBacklog)
  const read: Read = {
    lanes: { steady: laneOf(lanes.steady, now), busy: laneOf(lanes.busy, now), failing: laneOf(lanes.failing, now) },
    disabledEndpoints
  }
  return read
})

const update = (read: Read): Effect.Effect<void> =>
  Effect.all(
    [
      ...deliveryLanes.flatMap((lane) => [
        Metric.update(Metric.withAttributes(backlog, { lane }), read.lanes[lane].backlog),
        Metric.update(Metric.withAttributes(oldestDueAgeSeconds, { lane }), read.lanes[lane].oldestDueAge)
      ]),
      Metric.update(disabledEndpoints, read.disabledEndpoints)
    ],
    { discard: true }
  )

/**
 * Sets the gauges to how the queue stands now, in seconds and counts; to be run when they are read. Every process says
 * the same, since it is one queue. Does not fail: they are `NaN` if the store does not answer within 3 s.
 */
export const refresh: Effect.Effect<void, never, DeliveryQueue> = stats.pipe(
  Effect.timeout(patience),
  Effect.catch((error) =>
    Effect.as(Effect.logWarning("The webhook queue's metrics are unknown", error.message), unknown)
  ),
  Effect.flatMap(update)
)
