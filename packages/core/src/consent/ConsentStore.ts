import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { IdentityField } from "../consumer/IdentityField.js"
import type { DataRequestId, GrantId, UserId } from "../Ids.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { AskingBlock, AskingBlockReason } from "./asking/AskingBlock.js"
import type { GrantDecision, GrantEndDecision, GrantEndSnapshot, GrantSnapshot } from "./grant/decideGrant.js"
import type { GrantDuration } from "./grant/GrantDuration.js"
import type { IdentityReadDecision, IdentityReadSnapshot } from "./read/decideIdentityRead.js"
import type { ConsentDecision, ConsentSnapshot } from "./request/decideConsent.js"
import type { DataRequestDecision, DataRequestSnapshot } from "./request/decideDataRequest.js"

/** What to read for a decision on a new request. */
export interface DataRequestLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly serviceId: ConsumerId
  /** The snapshot includes an earlier request for the same fields. */
  readonly requestedFields: ReadonlyArray<IdentityField>
  /** Absent: the merchant's usual purpose, as `purposeOf` says. */
  readonly purpose: string | undefined
  /** A pending request for another duration is not equal. */
  readonly duration?: GrantDuration | undefined
  readonly now: DateTime.Utc
}

/** A person of the merchant's environment. */
export interface PersonLookup {
  readonly scope: MerchantScope
  readonly serviceId: ConsumerId
}

/**
 * A record by its id: the merchant's own in that environment or, without a scope, any merchant's. A merchant's call always
 * carries a scope; the person's, the host's and the operator's need none.
 */
export interface ConsentTarget<Id extends DataRequestId | GrantId> {
  readonly id: Id
  readonly scope: MerchantScope | undefined
}

/**
 * The commits of consent. Each verb loads a snapshot, calls `decide`, and commits the plan of an `Execute` all or nothing,
 * and only if the snapshot still holds; otherwise it starts again. So `decide` must be pure and may be called many
 * times. The result is the last decision; `Execute` means that it is committed.
 *
 * A plan's receipt becomes the next link of the chain of its merchant and environment, in the same commit: its sequence
 * is the last one's plus one, its previous hash is that one's hash (`ReceiptChain.genesis` before the first), and its
 * hash is the lower-case hex of SHA-256 over the previous hash, in hex, followed by its body, in UTF-8. Concurrent
 * commits, in any processes, never share a place and leave none out.
 *
 * A plan's events are stored with a delivery for each endpoint that wants them. `DeliverySignal` is notified after the
 * commit.
 */
export class ConsentStore extends Context.Service<
  ConsentStore,
  {
    /**
     * Stores a request with its key, fingerprint, answer and link, or another key of an equal pending request. Commits
     * only if the key is free: under any concurrency one key has one meaning. A request that asks a person commits only
     * if the merchant has asked that person nothing since the snapshot, and no block was made: concurrent equal requests
     * make one, and no bound on asking is passed.
     */
    readonly request: (
      lookup: DataRequestLookup,
      decide: (snapshot: DataRequestSnapshot) => DataRequestDecision
    ) => Effect.Effect<DataRequestDecision, StoreError>

    /**
     * Ends a pending request, with its grant, receipt, events, asking block and management link. Commits only if the
     * request is still `PENDING`: of concurrent decisions exactly one commits. None if there is no such request.
     *
     * A grant commits only if no block stops it (`stopsConsent`) and the merchant is not REJECTED or CLOSED, both as of
     * the commit: no grant commits after a `NOT_ME`, under any concurrency.
     *
     * `loaded` is a snapshot that the caller has read a moment ago. A store may decide on it in place of its first read.
     */
    readonly decide: (
      target: ConsentTarget<DataRequestId>,
      decide: (snapshot: ConsentSnapshot) => ConsentDecision,
      loaded?: ConsentSnapshot
    ) => Effect.Effect<Option.Option<ConsentDecision>, StoreError>

    /** Stores a grant without a request, with its receipt and event, under the conditions of `decide`. */
    readonly grant: (
      lookup: PersonLookup,
      decide: (snapshot: GrantSnapshot) => GrantDecision
    ) => Effect.Effect<GrantDecision, StoreError>

    /**
     * Ends a grant, with its receipt. Commits only if the grant is still `ACTIVE`: of concurrent ends exactly one commits.
     * A read that begins after it has returned, on any node, sees the end. None if there is no such grant.
     */
    readonly end: (
      target: ConsentTarget<GrantId>,
      decide: (snapshot: GrantEndSnapshot) => GrantEndDecision
    ) => Effect.Effect<Option.Option<GrantEndDecision>, StoreError>

    /**
     * Blocks the merchant from asking. A no-op if there is no such person, or if a block is in force: a `NOT_ME` alone
     * replaces a `STOP_ASKING`.
     */
    readonly block: (block: AskingBlock) => Effect.Effect<void, StoreError>

    /**
     * Lifts the block between a merchant and a person, with `reason` only one of that reason. Returns the reason of the
     * block that it lifted, if one was in force.
     */
    readonly liftBlock: (
      scope: MerchantScope,
      userId: UserId,
      at: DateTime.Utc,
      reason?: AskingBlockReason
    ) => Effect.Effect<AskingBlockReason | undefined, StoreError>

    /**
     * Loads the consents between a merchant and a person, and stores that the merchant reads. A read that uses up a
     * one-time grant commits only if that grant is still `ACTIVE`, and ends it with a receipt in the same commit: of
     * concurrent reads exactly one commits.
     */
    readonly read: (
      lookup: PersonLookup,
      decide: (snapshot: IdentityReadSnapshot) => IdentityReadDecision
    ) => Effect.Effect<IdentityReadDecision, StoreError>
  }
>()("@surety/core/consent/ConsentStore") {}
