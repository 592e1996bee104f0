import { Context, type DateTime, type Effect } from "effect"
import type { StoreError } from "../StoreError.js"
import type { Delivery, DeliveryAttempt } from "./Delivery.js"
import type { DomainEvent } from "./DomainEvent.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/** A delivery leased to one sender. */
export interface LeasedDelivery {
  readonly delivery: Delivery
  readonly event: DomainEvent
  readonly endpoint: WebhookEndpoint
  /** A later lease carries a higher fence; writes with an older fence fail. */
  readonly fence: number
}

export interface DeliveryClaim {
  readonly now: DateTime.Utc
  /** Until when the leases last. A dead sender's deliveries are due again then. */
  readonly leasedUntil: DateTime.Utc
  readonly limit: number
  /** How many of one endpoint may be with senders at a time, so that a slow one delays no other. */
  readonly perEndpoint: number
  /**
   * True: only of endpoints that are failing (`failingSince` is there). False: only of those that are not. Absent: of
   * all. A sender claims the two separately, so that hanging endpoints never delay healthy ones.
   */
  readonly failing?: boolean | undefined
}

/** A claim takes this many of an endpoint's due deliveries, room permitting, even if deliveries of others wait. */
export const endpointShare = 16

/** What follows for a delivery whose attempt failed. */
export type AfterFailure = { readonly _tag: "Retry"; readonly at: DateTime.Utc } | { readonly _tag: "GiveUp" }

/** What follows from an attempt. */
export type AfterAttempt =
  | { readonly _tag: "Delivered" }
  | AfterFailure
  /**
   * The delivery has failed and the endpoint is sent nothing more until it is enabled again. Its `updatedAt` moves, so
   * that a change which was begun before does not enable it unseen.
   */
  | {
      readonly _tag: "DisableEndpoint"
      readonly reason: string
      /**
       * Where given, the endpoint is disabled only if it still is failing since then when the attempt is recorded:
       * another attempt may have succeeded meanwhile. What follows for the delivery otherwise is said too.
       */
      readonly onlyIf?: { readonly failingSince: DateTime.Utc; readonly otherwise: AfterFailure }
    }

/** The outcome of recording an attempt. */
export interface AttemptRecorded {
  /** False: the fence is no longer the caller's, and nothing is stored. */
  readonly isOurs: boolean
  /** Whether this record disabled the endpoint, which had not been before. */
  readonly disabled: boolean
  /**
   * Set when this is the first record, across all senders, to reach that number of whole days since `since`, so each day
   * is reported once. Never 0.
   */
  readonly failing: { readonly since: DateTime.Utc; readonly days: number } | undefined
}

/**
 * Why a delivery that is due may wait. `failing`: its endpoint's last attempt failed, so it has few slots. `busy`: its
 * endpoint answers, but takes no more at once: `endpointShare` deliveries are with senders, or it has a rate of its own.
 * `steady`: nothing holds it up but the senders.
 */
export const deliveryLanes = ["steady", "busy", "failing"] as const
export type DeliveryLane = (typeof deliveryLanes)[number]

/** The deliveries to enabled endpoints of a lane that are due, including those with senders. */
export interface LaneStats {
  /** Counted up to a limit. */
  readonly backlog: number
  /** Since when the longest due has been due; undefined if none is. A retried one is due again. */
  readonly dueSince: DateTime.Utc | undefined
}

/** How the queue stands, across all merchants and environments. */
export interface DeliveryStats {
  readonly lanes: Readonly<Record<DeliveryLane, LaneStats>>
  /** Endpoints that are disabled, by anyone. */
  readonly disabledEndpoints: number
}

/** The sending side of the outbox: each committed event has one delivery for each endpoint that wants it. */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Leases due deliveries of enabled endpoints to the caller, the longest due first, at most `perEndpoint` of one
     * endpoint, counting those leased to other senders. A delivery that brings its endpoint above `endpointShare` comes
     * after all that do not, one that brings it above twice that comes after those, and so on: no endpoint's backlog
     * delays the few of another. If other endpoints wait it may take fewer of one than would fit, but no fewer than
     * `endpointShare`.
     *
     * Under any concurrency, across processes: a delivery is leased to one sender at a time, and all senders together
     * claim no more of an endpoint within any second than its `maxPerSecond`, also counting what they released.
     */
    readonly claim: (claim: DeliveryClaim) => Effect.Effect<ReadonlyArray<LeasedDelivery>, StoreError>

    /**
     * Commits the attempt, the delivery's next state, and on the endpoint since when it has been failing: all or nothing.
     */
    readonly settle: (
      due: LeasedDelivery,
      attempt: DeliveryAttempt,
      after: AfterAttempt
    ) => Effect.Effect<AttemptRecorded, StoreError>

    /** Ends leases without an attempt; the deliveries are due again at once. For a sender that stops. */
    readonly release: (due: ReadonlyArray<LeasedDelivery>) => Effect.Effect<void, StoreError>

    /**
     * How the queue stands at `now`, for an operator to watch. Each lane's backlog is counted up to `countLimit`, so that a
     * long one costs no more.
     */
    readonly stats: (now: DateTime.Utc, countLimit: number) => Effect.Effect<DeliveryStats, StoreError>
  }
>()("@surety/core/event/DeliveryQueue") {}
