import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import * as HostRequestGauges from "@surety/core/host/HostRequestGauges"
import type { HostRequestStore } from "@surety/core/host/HostRequestStore"
import * as Readiness from "@surety/core/Readiness"
import * as QueueGauges from "@surety/webhooks/delivery/QueueGauges"
import { DateTime, Duration, Effect } from "effect"
import { type StoreNotOpened, storeNotOpened } from "./store/HostStore.js"

/** The state of Surety, for a host's own health page. */
export interface Health {
  /** True if the database has this release's tables and accepts writes. */
  readonly ready: boolean
  /** Why Surety is not ready, for the operator. Absent if Surety is ready. */
  readonly detail?: string
  /** `running` if this instance's workers have been started and not stopped. `runOnce` does not count. */
  readonly workers: "running" | "stopped"
  /**
   * Webhook deliveries across all processes. Absent if Surety is not ready, or if the count fails or takes too long.
   */
  readonly webhooks?: {
    /** Number of due deliveries to enabled endpoints. The count is exact up to 10,000. */
    readonly due: number
    /** Seconds since the oldest due delivery became due. 0 if none is due. */
    readonly oldestDueSeconds: number
    readonly disabledEndpoints: number
  }
  /**
   * The host's queued calls across all processes. Absent if Surety is not ready, or if the count fails or takes too
   * long.
   */
  readonly requests?: {
    /** Number of pending calls, counted up to 10,000. */
    readonly pending: number
    /** Age of the oldest pending call in seconds. 0 if none is pending. */
    readonly oldestPendingSeconds: number
  }
}

/** Timeout of each count. */
const patience = Duration.seconds(3)

/**
 * Fails unless the check confirms within `checkPatience` that the database has this release's tables and accepts
 * writes.
 */
export const ready: Effect.Effect<void, StoreNotOpened, Readiness.Readiness> = Effect.gen(function* () {
  const { check } = yield* Readiness.Readiness
  yield* check.pipe(
    Effect.timeoutOrElse({
      duration: Readiness.checkPatience,
      orElse: () => Effect.fail(new Readiness.NotReady({ detail: "it did not respond within 5 seconds." }))
    }),
    Effect.mapError((cause) => storeNotOpened(cause.detail, cause))
  )
})

const webhooksNow = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const now = yield* DateTime.now
  const { disabledEndpoints, lanes } = yield* queue.stats(now, QueueGauges.largestBacklog)
  const since = Object.values(lanes).flatMap(({ dueSince }) => (dueSince === undefined ? [] : [dueSince]))
  return {
    due: Object.values(lanes).reduce((sum, { backlog }) => sum + backlog, 0),
    oldestDueSeconds: Math.max(0, ...since.map((at) => Math.round(Duration.toSeconds(DateTime.distance(at, now))))),
    disabledEndpoints
  }
})

const requestsNow = Effect.map(HostRequestGauges.backlog, ({ oldestAgeSeconds, pending }) => ({
  pending,
  oldestPendingSeconds: Math.round(oldestAgeSeconds)
}))

type Queues = DeliveryQueue | HostRequestStore

/** Returns the state of Surety. Omits a count that fails or takes too long, and both counts if Surety is not ready. */
export const health = (isRunning: () => boolean): Effect.Effect<Health, never, Readiness.Readiness | Queues> =>
  Effect.gen(function* () {
    const workers = isRunning() ? "running" : "stopped"
    const unready = yield* Effect.match(ready, { onSuccess: () => undefined, onFailure: ({ message }) => message })
    if (unready !== undefined) return { ready: false, detail: unready, workers }
    const webhooks = yield* webhooksNow.pipe(
      Effect.timeout(patience),
      Effect.match({ onSuccess: (webhooks) => ({ webhooks }), onFailure: () => ({}) })
    )
    const requests = yield* requestsNow.pipe(
      Effect.timeout(patience),
      Effect.match({ onSuccess: (requests) => ({ requests }), onFailure: () => ({}) })
    )
    return { ready: true, workers, ...webhooks, ...requests }
  })
