import { Context, type DateTime, type Effect } from "effect"
import type { Claim, Leased } from "../Lease.js"
import type { StoreError } from "../StoreError.js"
import type { Delivery, DeliveryAttempt } from "./Delivery.js"
import type { DomainEvent, SequencedEvent } from "./DomainEvent.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/** A delivery leased to one sender. */
export type LeasedDelivery = Leased<{
  readonly delivery: Delivery
  readonly event: SequencedEvent
  readonly endpoint: WebhookEndpoint
}>

export interface DeliveryClaim extends Claim {
  /** How many deliveries of one endpoint may be leased at a time, so that a slow one delays no other. */
  readonly perEndpoint: number
  /**
   * True: only of failing endpoints (`failingSince` is set). False: only of the others. Absent: of all. A sender claims
   * the two separately, so that hanging endpoints never delay healthy ones.
   */
  readonly failing?: boolean | undefined
}

/** A claim takes this many of an endpoint's due deliveries, room permitting, even if deliveries of others wait. */
export const endpointShare = 16

/** The next step after a failed attempt. */
export type AfterFailure = { readonly _tag: "Retry"; readonly at: DateTime.Utc } | { readonly _tag: "GiveUp" }

/** The next step after an attempt. */
export type AfterAttempt =
  | { readonly _tag: "Delivered" }
  | AfterFailure
  /**
   * Fails the delivery and disables the endpoint. The endpoint's `updatedAt` changes, so that a change begun earlier
   * cannot enable it again unnoticed.
   */
  | {
      readonly _tag: "DisableEndpoint"
      readonly reason: string
      /** `endpoint.disabled`, stored in the same commit if this attempt is the one that disables an enabled endpoint. */
      readonly event?: DomainEvent
      /**
       * If set, disables the endpoint only if it has still been failing since then when the attempt is recorded:
       * another attempt may have succeeded. If one has, `otherwise` applies to the delivery.
       */
      readonly onlyIf?: { readonly failingSince: DateTime.Utc; readonly otherwise: AfterFailure }
    }

/** The result of `settle`. */
export interface AttemptRecorded {
  /** False if the fence is no longer the caller's; nothing is stored then. */
  readonly isOurs: boolean
  /** Whether this attempt disabled an enabled endpoint. */
  readonly disabled: boolean
  /**
   * Set if this attempt is the first, across all senders, to reach that number of whole days since `since`, so that
   * each day is reported once. Never 0.
   */
  readonly failing: { readonly since: DateTime.Utc; readonly days: number } | undefined
}

/**
 * Why a due delivery may wait. `failing`: its endpoint's last attempt failed, so it has few slots. `busy`: its endpoint
 * responds, but `endpointShare` deliveries are leased already, or it has its own rate limit. `steady`: it waits only for
 * a free sender.
 */
export const deliveryLanes = ["steady", "busy", "failing"] as const
export type DeliveryLane = (typeof deliveryLanes)[number]

/** Due deliveries of a lane to enabled endpoints, including leased ones. */
export interface LaneStats {
  /** Counted up to a limit. */
  readonly backlog: number
  /** When the longest-waiting delivery became due; undefined if none is. A retry becomes due again. */
  readonly dueSince: DateTime.Utc | undefined
}

/** State of the queue across all merchants and environments. */
export interface DeliveryStats {
  readonly lanes: Readonly<Record<DeliveryLane, LaneStats>>
  /** Endpoints disabled for any reason. */
  readonly disabledEndpoints: number
}

/** The sending side of the outbox: each committed event has one delivery for each endpoint that subscribes to it. */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Leases due deliveries of enabled endpoints to the caller, the longest due first, at most `perEndpoint` of one
     * endpoint, counting those leased to other senders. Deliveries within an endpoint's first `endpointShare` come
     * first, then those within its second, and so on: one endpoint's backlog does not delay another's few deliveries.
     * If other endpoints wait, a claim may take fewer of one than would fit, but no fewer than `endpointShare`.
     *
     * Under any concurrency, across processes: a delivery is leased to one sender at a time, and all senders together
     * claim at most `maxPerSecond` deliveries of an endpoint within any second, including those they released.
     */
    readonly claim: (claim: DeliveryClaim) => Effect.Effect<ReadonlyArray<LeasedDelivery>, StoreError>

    /** Commits the attempt, the delivery's next state, and since when the endpoint has been failing: all or nothing. */
    readonly settle: (
      due: LeasedDelivery,
      attempt: DeliveryAttempt,
      after: AfterAttempt
    ) => Effect.Effect<AttemptRecorded, StoreError>

    /** Ends leases without an attempt; the deliveries are due again at once. For a sender that stops. */
    readonly release: (due: ReadonlyArray<LeasedDelivery>) => Effect.Effect<void, StoreError>

    /**
     * State of the queue at `now`, for an operator. Each lane's backlog is counted up to `countLimit`, which bounds the
     * cost.
     */
    readonly stats: (now: DateTime.Utc, countLimit: number) => Effect.Effect<DeliveryStats, StoreError>
  }
>()("@surety/core/event/DeliveryQueue") {}
