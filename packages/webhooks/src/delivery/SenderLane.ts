import { DeliveryQueue, type DueDelivery, endpointShare } from "@surety/core/event/DeliveryQueue"
import { Array as Arr, Clock, DateTime, Duration, Effect, Fiber, FiberSet, Latch, Schedule } from "effect"
import { type LaneSettings, WebhookSettings } from "../WebhookSettings.js"
import type { DeliveryAttempts } from "./DeliveryAttempts.js"
import * as LaneSlots from "./LaneSlots.js"
import type { StoreOutage } from "./StoreOutage.js"

/** The slots of one kind of endpoint, and the loop that fills them. */
export interface DeliveryLane {
  /** Looks for due deliveries now instead of at the next poll. */
  readonly wake: Effect.Effect<void>
  /** Claims due deliveries and starts their attempts, for ever. Survives whatever the store does. */
  readonly run: Effect.Effect<never>
}

export interface LaneOptions {
  /** Which endpoints: those whose last attempt failed, or the others. */
  readonly name: "steady" | "failing"
  readonly limits: LaneSettings
  readonly attempts: DeliveryAttempts
  /** Where attempts and claims run, so that they outlast the loop. */
  readonly underWay: FiberSet.FiberSet<unknown>
  readonly outage: StoreOutage
  /** From when on what is claimed is given back. */
  readonly isStopping: () => boolean
}

/** What came of a claim: how many deliveries, and whether there may be more. */
interface Claimed {
  readonly claimed: number
  readonly isMore: boolean
}

const nothing: Claimed = { claimed: 0, isMore: false }

/** Whether a claim took its share of an endpoint, where there would have been room for more. */
const leftSome = (due: ReadonlyArray<DueDelivery>, slots: LaneSlots.LaneSlots): boolean =>
  due.length >= endpointShare &&
  Object.values(Arr.groupBy(due, ({ endpoint }) => endpoint.id)).some(
    (ofOne) => ofOne.length >= endpointShare && slots.hasRoomAt(ofOne[0].endpoint.id)
  )

/** Claims for free slots and starts what it gets. */
const makeClaim = Effect.fnUntraced(function* (options: LaneOptions, slots: LaneSlots.LaneSlots) {
  const { attempts, isStopping, limits, name, outage, underWay } = options
  const queue = yield* DeliveryQueue
  const { attemptTimeout, claimLimit, lease } = yield* WebhookSettings
  const start = (due: DueDelivery): Effect.Effect<unknown> =>
    Effect.flatMap(slots.take(due.endpoint.id), (within) => FiberSet.run(underWay, within(attempts(due))))

  return Effect.gen(function* () {
    const limit = Math.min(yield* slots.free, claimLimit)
    if (limit <= 0) return nothing
    const now = yield* DateTime.now
    const leaseUntil = DateTime.addDuration(now, lease)
    const { perEndpoint } = limits
    const due = yield* outage.watch(queue.claim({ now, leaseUntil, limit, perEndpoint, failing: name === "failing" }))
    // A claim that took very long leaves no time for an attempt within its lease.
    const latestStart = DateTime.subtractDuration(leaseUntil, attemptTimeout)
    if (isStopping() || DateTime.isGreaterThan(yield* DateTime.now, latestStart)) {
      if (due.length > 0) yield* Effect.ignore(queue.release(due))
      return nothing
    }
    yield* Effect.forEach(due, start, { discard: true })
    return { claimed: due.length, isMore: due.length === limit || leftSome(due, slots) }
  })
})

/** What a lane does between a claim and the next: it waits where there are many of late. */
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
  // An attempt that ends may let another of its endpoint go.
  const slots = LaneSlots.make(options.name, options.limits, latch.open)
  const claim = yield* makeClaim(options, slots)
  const backOff = Schedule.min([Schedule.exponential(storeRetry.first), Schedule.spaced(storeRetry.longest)])

  const rest = makeRest(claimGap)

  /**
   * A claim is a fiber of its own, so that stopping the loop does not cut it off: what it gets is started or given
   * back, never lost for the time of a lease.
   */
  const turn = Effect.gen(function* () {
    yield* latch.close
    const claiming = yield* FiberSet.run(options.underWay, Effect.exit(claim))
    const { claimed, isMore } = yield* yield* Fiber.join(claiming)
    if (!isMore) yield* Effect.timeoutOption(latch.await, pollInterval)
    yield* rest(claimed)
  })

  const run = turn.pipe(
    Effect.retry(backOff),
    Effect.catchDefect((defect) =>
      Effect.andThen(
        Effect.logError("Claiming webhook deliveries broke off", defect instanceof Error ? defect.name : typeof defect),
        Effect.sleep(storeRetry.longest)
      )
    ),
    // The schedule has no end, so no failure gets past it.
    Effect.orDie,
    Effect.forever
  )

  const lane: DeliveryLane = { wake: Effect.asVoid(latch.open), run }
  return lane
})
