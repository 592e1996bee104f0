import { Context, type DateTime, type Effect } from "effect"
import type { EndpointId } from "../Ids.js"
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
  /** Maximum number of one endpoint's deliveries leased at a time, so that a slow endpoint delays no other. */
  readonly perEndpoint: number
  /**
   * If true, claims only deliveries of failing endpoints (`failingSince` is set). If false, only those of other
   * endpoints. If absent, all. A sender claims the two kinds separately, so that failing endpoints do not delay the
   * others.
   */
  readonly failing?: boolean | undefined
}

/**
 * Size of an endpoint's share of a claim. Each endpoint's first `endpointShare` deliveries, including leased ones, come
 * before further deliveries of any endpoint.
 */
export const endpointShare = 16

/** The next step after a failed attempt if the endpoint stays enabled. */
export type AfterFailure = { readonly _tag: "Retry"; readonly at: DateTime.Utc } | { readonly _tag: "GiveUp" }

/** The next step after an attempt. */
export type AfterAttempt =
  | { readonly _tag: "Delivered" }
  | AfterFailure
  /**
   * Fails the delivery and disables the endpoint, if it still has the url to which the attempt was made. A merchant may
   * have replaced that url meanwhile. Also changes the endpoint's `updatedAt`. A concurrent change that read the enabled
   * endpoint is then not stored, so it cannot enable the endpoint again.
   */
  | {
      readonly _tag: "DisableEndpoint"
      readonly reason: string
      /**
       * The event `endpoint.disabled`, stored only if the endpoint was enabled. A commit stores at most one per
       * endpoint, even if it records several attempts at that endpoint.
       */
      readonly event?: DomainEvent
      /**
       * If set, the endpoint is disabled only if its `failingSince` still has this value and the same commit records
       * no success at that endpoint.
       */
      readonly onlyIf?: { readonly failingSince: DateTime.Utc }
      /** Applies to the delivery if the endpoint is not disabled, because a condition does not hold. */
      readonly otherwise: AfterFailure
    }

/** The result of `settle`. */
export interface AttemptRecorded {
  /**
   * The step that was applied: the requested one, or the `otherwise` of a `DisableEndpoint`. Undefined if
   * another call ended or replaced the lease, in which case nothing is stored.
   */
  readonly applied: AfterAttempt["_tag"] | undefined
  /**
   * True if the commit of this attempt disabled an enabled endpoint. If a commit records several attempts at the
   * endpoint, this is true for only one of them.
   */
  readonly disabled: boolean
  /**
   * The endpoint has been failing since `since`, for `days` whole days (at least 1). Set only if no attempt, by any
   * sender, has already reported that many days of failing since `since`.
   */
  readonly failing: { readonly since: DateTime.Utc; readonly days: number } | undefined
}

/**
 * Kinds of due deliveries, by the reason they may wait. `failing`: the endpoint has a `failingSince`, so senders lease
 * few of its deliveries at a time. `busy`: the endpoint is not failing, but has a rate limit or at least
 * `endpointShare` leased deliveries. `steady`: neither, so the delivery waits only for a free sender.
 */
export const deliveryLanes = ["steady", "busy", "failing"] as const
export type DeliveryLane = (typeof deliveryLanes)[number]

/** A lane's due deliveries to enabled endpoints, including leased ones. */
export interface LaneStats {
  /** Counted only up to the `countLimit` of `stats`. */
  readonly backlog: number
  /** When the longest-waiting delivery became due. Undefined if none is due. A retry starts a new wait. */
  readonly dueSince: DateTime.Utc | undefined
}

/** State of the queue across all merchants and environments. */
export interface DeliveryStats {
  readonly lanes: Readonly<Record<DeliveryLane, LaneStats>>
  readonly disabledEndpoints: number
}

/** Leases due deliveries of merchants' events to senders, and records the attempts. */
export class DeliveryQueue extends Context.Service<
  DeliveryQueue,
  {
    /**
     * Leases due deliveries of enabled endpoints, longest overdue first. At most `perEndpoint` of one endpoint are
     * leased at a time, including those leased to other senders.
     *
     * Each endpoint's first `endpointShare` deliveries come before the next `endpointShare` of any endpoint, and so on.
     * One endpoint's backlog thus does not delay another's few deliveries. If other endpoints wait, a claim may lease
     * only `endpointShare` deliveries of an endpoint, even if more would fit.
     *
     * Under any concurrency, across processes, a delivery is leased to one sender at a time. If an endpoint has
     * `maxPerSecond`, all senders together claim at most that many of its deliveries within any second, including
     * released ones.
     */
    readonly claim: (claim: DeliveryClaim) => Effect.Effect<ReadonlyArray<LeasedDelivery>, StoreError>

    /**
     * Commits the attempt, the delivery's next state and the endpoint's `failingSince` atomically. If a
     * `DisableEndpoint` applies, also disables the endpoint, and stores the event if the endpoint was enabled. Stores
     * nothing if another call ended or replaced the lease.
     */
    readonly settle: (
      due: LeasedDelivery,
      attempt: DeliveryAttempt,
      after: AfterAttempt
    ) => Effect.Effect<AttemptRecorded, StoreError>

    /**
     * Ends leases without an attempt, which makes the deliveries due again immediately. For a sender that is stopping,
     * or whose leases end too soon for an attempt.
     */
    readonly release: (due: ReadonlyArray<LeasedDelivery>) => Effect.Effect<void, StoreError>

    /** Returns the queue's state at `now`. Counts each lane's backlog only up to `countLimit`, to limit the cost. */
    readonly stats: (now: DateTime.Utc, countLimit: number) => Effect.Effect<DeliveryStats, StoreError>

    /**
     * Returns up to `limit` enabled endpoints that have due deliveries at `now`, including leased ones. Leaves out the
     * endpoints in `without`.
     */
    readonly dueEndpoints: (
      now: DateTime.Utc,
      limit: number,
      without: ReadonlyArray<EndpointId>
    ) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>
  }
>()("@surety/core/event/DeliveryQueue") {}
