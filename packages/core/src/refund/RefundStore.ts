import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { DomainEvent, SequencedEvent } from "../event/DomainEvent.js"
import type { MerchantId, PaymentId, RefundId } from "../Ids.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { Leased } from "../Lease.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { PlayedOutcome } from "../payment/Payment.js"
import type { StoreError } from "../StoreError.js"
import type { RefundDecision, RefundSnapshot } from "./decideRefund.js"
import type { Refund, RefundStatus } from "./Refund.js"

/** Selects the data to load for a refund. At least one of `paymentId` and `reference` is set. */
export interface RefundLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly paymentId: PaymentId | undefined
  readonly reference: string | undefined
}

/** A pending refund leased to one worker. */
export type LeasedRefund = Leased<{
  readonly refund: Refund
  /** TEST only: the outcome that the sandbox plays instead of the wallet. */
  readonly played?: PlayedOutcome | undefined
}>

/** The changes that complete a pending refund, committed atomically. */
export interface RefundCompletion {
  readonly leased: LeasedRefund
  /** The refund with status `COMPLETED`. */
  readonly refund: Refund
  /** The response to store under the refund's idempotency key. */
  readonly answer: string
  readonly event: DomainEvent
}

/**
 * The changes that fail a pending refund, committed atomically. The refund's amount returns to the merchant, and its
 * idempotency key becomes free.
 */
export interface RefundFailure {
  readonly leased: LeasedRefund
  readonly reversal: Transfer
  readonly event: DomainEvent
}

/** Selects refunds of an environment. Undefined fields do not filter. */
export interface RefundFilter {
  readonly environment: Environment
  readonly merchantId: MerchantId | undefined
  readonly status: RefundStatus | undefined
  readonly paymentId: PaymentId | undefined
  /** The payment's checkout reference. */
  readonly reference: string | undefined
  /** Earliest time of creation, inclusive. */
  readonly since: DateTime.Utc | undefined
  /** Latest time of creation, exclusive. */
  readonly until: DateTime.Utc | undefined
}

/** A refund with its transfers and its events, each list oldest first. */
export interface RefundTrail {
  readonly refund: Refund
  readonly transfers: ReadonlyArray<Transfer>
  /** The merchant's events. Platform events are not included. */
  readonly events: ReadonlyArray<SequencedEvent>
}

export class RefundStore extends Context.Service<
  RefundStore,
  {
    /**
     * Takes a snapshot, calls `decide`, and commits the plan of an `Execute` atomically. The commit stores the refund
     * with its key and fingerprint, and the payment's refunded total. It also stores the transfer, the new balances of
     * both accounts, and the event with its deliveries. If the commit completes the refund, it stores the response too.
     *
     * Commits only if the decision still holds: the key is free, the payment's refunded total is unchanged, and (unless
     * overdraft is allowed) the settlement balance suffices. Otherwise the store reads and decides again, so `decide`
     * must be pure and may be called several times. Returns the last decision; an `Execute` has been committed by then.
     *
     * Under any concurrency, across processes, a payment's pending and completed refunds never total more than its
     * amount. A key never creates a second refund unless the first fails.
     */
    readonly execute: (
      lookup: RefundLookup,
      decide: (snapshot: RefundSnapshot) => RefundDecision
    ) => Effect.Effect<RefundDecision, StoreError>

    readonly find: (scope: MerchantScope, id: RefundId) => Effect.Effect<Option.Option<Refund>, StoreError>

    /** Lists refunds, newest first. If `paymentId` is defined, only those of that payment. */
    readonly list: (
      scope: MerchantScope,
      filter: { readonly paymentId: PaymentId | undefined },
      page: PageRequest
    ) => Effect.Effect<Page<Refund>, StoreError>

    /** Finds a refund of any merchant and environment. For the operator and the host. */
    readonly findAny: (id: RefundId) => Effect.Effect<Option.Option<Refund>, StoreError>

    /** Returns a refund of this environment with its transfers and events. For the operator. */
    readonly trail: (environment: Environment, id: RefundId) => Effect.Effect<Option.Option<RefundTrail>, StoreError>

    /** Lists matching refunds of any merchant, newest first. For the operator and the host. */
    readonly listAll: (filter: RefundFilter, page: PageRequest) => Effect.Effect<Page<Refund>, StoreError>

    /**
     * Leases a pending refund until `until`, if it is not leased at `now`. A new refund is not leased. Of several
     * concurrent callers, at most one gets the lease.
     */
    readonly lease: (
      id: RefundId,
      now: DateTime.Utc,
      until: DateTime.Utc
    ) => Effect.Effect<Option.Option<LeasedRefund>, StoreError>

    /** Ends a lease early. A no-op if the fence is stale or the refund is settled. */
    readonly release: (leased: LeasedRefund) => Effect.Effect<void, StoreError>

    /**
     * Returns the ids of at most `limit` pending refunds, oldest first, that were created before `madeBefore` and are
     * not leased at `now`. Excludes TEST refunds with the played outcome `pending`: they wait for a test helper, and
     * would fill the batch.
     */
    readonly due: (
      now: DateTime.Utc,
      madeBefore: DateTime.Utc,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RefundId>, StoreError>

    /**
     * Commits the completion atomically. Returns false and stores nothing if the fence is stale or the refund is
     * already settled.
     */
    readonly settleCompleted: (completion: RefundCompletion) => Effect.Effect<boolean, StoreError>

    /**
     * Atomically marks the refund as failed, subtracts its amount from the payment's refunded total and posts the
     * reversal. Also frees the key and stores the event. Returns false and stores nothing if the fence is stale or the
     * refund is already settled.
     */
    readonly settleFailed: (failure: RefundFailure) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/refund/RefundStore") {}
