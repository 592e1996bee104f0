import { type DeliveryLane, DeliveryQueue, deliveryLanes, type LaneStats } from "@surety/core/event/DeliveryQueue"
import { DateTime, Duration, Effect, Metric } from "effect"

/** The backlog of each lane is counted up to this number. */
export const largestBacklog = 10_000

/** Shorter than Prometheus' default scrape timeout, so that a slow store does not fail the scrape. */
const storeTimeout = Duration.seconds(3)

export const backlog = Metric.gauge("webhook_backlog", {
  description: `Webhook deliveries to enabled endpoints that are due, by lane, each counted up to ${largestBacklog}.`
})

export const oldestDueAgeSeconds = Metric.gauge("webhook_oldest_due_age_seconds", {
  description: "Age of the oldest due webhook delivery of a lane; 0 if none is due."
})

export const disabledEndpoints = Metric.gauge("webhook_endpoints_disabled", {
  description: "Webhook endpoints that are disabled."
})

interface LaneGauges {
  readonly backlog: number
  readonly oldestDueAge: number
}

interface Gauges {
  readonly lanes: Readonly<Record<DeliveryLane, LaneGauges>>
  readonly disabledEndpoints: number
}

const unknownLane: LaneGauges = { backlog: Number.NaN, oldestDueAge: Number.NaN }

/** Values to report if the store fails or takes too long, since `NaN` is better than a stale number. */
const unknown: Gauges = {
  lanes: { steady: unknownLane, busy: unknownLane, failing: unknownLane },
  disabledEndpoints: Number.NaN
}

const laneOf = ({ backlog, dueSince }: LaneStats, now: DateTime.Utc): LaneGauges => ({
  backlog,
  oldestDueAge: dueSince === undefined ? 0 : Duration.toSeconds(DateTime.distance(dueSince, now))
})

const stats = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const now = yield* DateTime.now
  const { disabledEndpoints, lanes } = yield* queue.stats(now, largestBacklog)
  const gauges: Gauges = {
    lanes: { steady: laneOf(lanes.steady, now), busy: laneOf(lanes.busy, now), failing: laneOf(lanes.failing, now) },
    disabledEndpoints
  }
  return gauges
})

const update = (gauges: Gauges): Effect.Effect<void> =>
  Effect.all(
    [
      ...deliveryLanes.flatMap((lane) => [
        Metric.update(Metric.withAttributes(backlog, { lane }), gauges.lanes[lane].backlog),
        Metric.update(Metric.withAttributes(oldestDueAgeSeconds, { lane }), gauges.lanes[lane].oldestDueAge)
      ]),
      Metric.update(disabledEndpoints, gauges.disabledEndpoints)
    ],
    { discard: true }
  )

/**
 * Updates the gauges from the queue. Run it when metrics are read. The queue is shared, so the values cover all
 * processes. Never fails: the gauges are `NaN` if the store fails or takes longer than 3 s.
 */
export const refresh: Effect.Effect<void, never, DeliveryQueue> = stats.pipe(
  Effect.timeout(storeTimeout),
  Effect.catch((error) => Effect.as(Effect.logWarning("Webhook queue metrics unavailable", error.message), unknown)),
  Effect.flatMap(update)
)
