import { DeliveryQueue, endpointShare, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { Array as Arr, Clock, DateTime, Duration, Effect, Fiber, FiberSet, Latch, Schedule } from "effect"
import { type LaneSettings, WebhookSettings } from "../WebhookSettings.js"
import type { DeliveryAttempts } from "./DeliveryAttempts.js"
import * as LaneSlots from "./LaneSlots.js"
import type { StoreOutage } from "./StoreOutage.js"

/** The slots for one kind of endpoint, and the loop that fills them. */
export interface SenderLane {
  /** Makes the lane claim without waiting for the next poll. */
  readonly wake: Effect.Effect<void>
  /** Claims due deliveries and starts their attempts in an endless loop. Survives every store failure. */
  readonly run: Effect.Effect<never>
}

export interface LaneOptions {
  /** `failing` is for endpoints with a `failingSince`, `steady` for all others. */
  readonly name: "steady" | "failing"
  readonly limits: LaneSettings
  readonly attempts: DeliveryAttempts
  /** Fibers of attempts and claims. They outlive the loop, so stopping the loop does not interrupt them. */
  readonly inFlight: FiberSet.FiberSet<unknown>
  readonly outage: StoreOutage
  /** If true, claimed deliveries are released instead of attempted. */
  readonly isStopping: () => boolean
}

interface Claimed {
  readonly claimed: number
  /** True if more deliveries may be due. */
  readonly isMore: boolean
}

const nothing: Claimed = { claimed: 0, isMore: false }

/** True if a claim took at least `endpointShare` deliveries of one endpoint, and the lane can start more of them. */
const leftSome = (due: ReadonlyArray<LeasedDelivery>, slots: LaneSlots.LaneSlots): boolean =>
  due.length >= endpointShare &&
  Object.values(Arr.groupBy(due, ({ endpoint }) => endpoint.id)).some(
    (ofOne) => ofOne.length >= endpointShare && slots.hasRoomAt(ofOne[0].endpoint.id)
  )

const makeClaim = Effect.fnUntraced(function* (options: LaneOptions, slots: LaneSlots.LaneSlots) {
  const { attempts, isStopping, limits, name, outage, inFlight } = options
  const queue = yield* DeliveryQueue
  const { attemptTimeout, claimLimit, lease } = yield* WebhookSettings
  const start = (due: LeasedDelivery): Effect.Effect<unknown> =>
    Effect.flatMap(slots.take(due.endpoint.id), (within) => FiberSet.run(inFlight, within(attempts(due))))

  return Effect.gen(function* () {
    const limit = Math.min(yield* slots.free, claimLimit)
    if (limit <= 0) return nothing
    const now = yield* DateTime.now
    const leasedUntil = DateTime.addDuration(now, lease)
    const { perEndpoint } = limits
    const due = yield* outage.watch(queue.claim({ now, leasedUntil, limit, perEndpoint, failing: name === "failing" }))
    // Releases the deliveries if the lane is stopping or the rest of the lease is too short for an attempt.
    const latestStart = DateTime.subtractDuration(leasedUntil, attemptTimeout)
    if (isStopping() || DateTime.isGreaterThan(yield* DateTime.now, latestStart)) {
      if (due.length > 0) yield* Effect.ignore(queue.release(due))
      return nothing
    }
    yield* Effect.forEach(due, start, { discard: true })
    return { claimed: due.length, isMore: due.length === limit || leftSome(due, slots) }
  })
})

/** Makes a function that pauses before the next claim if many deliveries were claimed recently. */
const makeRest = ({ claimed: many, wait, within }: WebhookSettings["claimGap"]) => {
  let recent: ReadonlyArray<{ readonly atMillis: number; readonly claimed: number }> = []
  return Effect.fnUntraced(function* (claimed: number) {
    const now = yield* Clock.currentTimeMillis
    const since = now - Duration.toMillis(within)
    recent = [...recent.filter(({ atMillis }) => atMillis > since), { atMillis: now, claimed }]
    if (recent.reduce((sum, claim) => sum + claim.claimed, 0) >= many) yield* Effect.sleep(wait)
  })
}

export const make = Effect.fnUntraced(function* (options: LaneOptions) {
  const { claimGap, pollInterval, storeRetry } = yield* WebhookSettings
  const latch = yield* Latch.make(false)
  // Wakes the loop when an attempt ends and another may start.
  const slots = LaneSlots.make(options.name, options.limits, latch.open)
  const claim = yield* makeClaim(options, slots)
  const backOff = Schedule.min([Schedule.exponential(storeRetry.first), Schedule.spaced(storeRetry.longest)])

  const rest = makeRest(claimGap)

  /**
   * A claim runs in its own fiber, so stopping the loop does not interrupt it. It still starts or releases its
   * deliveries, which would otherwise wait for their leases to end.
   */
  const turn = Effect.gen(function* () {
    yield* latch.close
    const claiming = yield* FiberSet.run(options.inFlight, Effect.exit(claim))
    const { claimed, isMore } = yield* yield* Fiber.join(claiming)
    if (!isMore) yield* Effect.timeoutOption(latch.await, pollInterval)
    yield* rest(claimed)
  })

  const run = turn.pipe(
    Effect.retry(backOff),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("Webhook claim failed; retrying", defect instanceof Error ? defect.name : typeof defect),
        Effect.sleep(storeRetry.longest)
      )
    ),
    // The schedule never ends, so no failure reaches this line.
    Effect.orDie,
    Effect.forever
  )

  const lane: SenderLane = { wake: Effect.asVoid(latch.open), run }
  return lane
})
