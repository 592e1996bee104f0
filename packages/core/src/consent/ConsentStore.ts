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

/** Inputs for loading the snapshot from which a new request is decided. */
export interface DataRequestLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly serviceId: ConsumerId
  /** Selects the snapshot's pending request and last denial by their fields: exactly these, in any order. */
  readonly requestedFields: ReadonlyArray<IdentityField>
  /** If undefined, the merchant's usual purpose applies, as in `purposeOf`. */
  readonly purpose: string | undefined
  /** Selects the snapshot's pending request by its duration. Undefined selects a request without a duration. */
  readonly duration?: GrantDuration | undefined
  readonly now: DateTime.Utc
}

/** A merchant, and a person by service id, in one environment. */
export interface PersonLookup {
  readonly scope: MerchantScope
  readonly serviceId: ConsumerId
}

/**
 * Identifies a record by id. If `scope` is defined, the record must belong to that merchant and environment. Set
 * `scope` for a merchant's call.
 */
export interface ConsentTarget<Id extends DataRequestId | GrantId> {
  readonly id: Id
  readonly scope: MerchantScope | undefined
}

/**
 * Changes stored consent. Each method with a `decide` function loads a snapshot, calls `decide`, and commits the
 * decision's plan, if any, atomically. If the snapshot no longer holds, the method starts over instead. `decide` may
 * therefore be called several times, and must be pure. The method returns the last decision.
 *
 * In the same commit, a plan's receipt becomes the next link in the chain of its merchant and environment. Its sequence
 * is one more than the previous receipt's. Its previous hash is the previous receipt's hash (`ReceiptChain.genesis`
 * before the first). Its hash is the lower-case hex of SHA-256 over the previous hash in hex, then its body in UTF-8.
 * Concurrent commits never share or skip a sequence number, even across processes.
 *
 * A plan's events are stored with a delivery for each enabled endpoint that subscribes to them. If deliveries were
 * created, `DeliverySignal` is notified after the commit. Inside a host's transaction, it is notified before the host
 * commits.
 */
export class ConsentStore extends Context.Service<
  ConsentStore,
  {
    /**
     * Stores a request with its key, fingerprint and response, and with a link if it asks a person. If an equal request
     * is pending, stores the new key for that request, and the new return url if given. Commits only if the key is
     * free, so a key belongs to at most one request. A new request commits only if the snapshot's active grants are
     * still active.
     *
     * A request that asks a person commits only if the person is not restricted. It does not commit if the merchant has
     * asked the person, or a block was created, since the snapshot. Concurrent equal requests with different keys
     * therefore create only one request, and no limit on asking is exceeded.
     */
    readonly request: (
      lookup: DataRequestLookup,
      decide: (snapshot: DataRequestSnapshot) => DataRequestDecision
    ) => Effect.Effect<DataRequestDecision, StoreError>

    /**
     * Ends a pending request and stores the decision's grant, receipt, events, asking block and management link, if
     * any. Commits only if the request is still `PENDING`, so at most one of several concurrent decisions commits.
     * Returns `None` if the request does not exist.
     *
     * A grant commits only if no block stops it (`stopsConsent`) and the merchant is not REJECTED or CLOSED. Both are
     * checked as of the commit.
     *
     * `loaded` is a snapshot that the caller has just read. A store may use it for its first decision instead of
     * reading one.
     */
    readonly decide: (
      target: ConsentTarget<DataRequestId>,
      decide: (snapshot: ConsentSnapshot) => ConsentDecision,
      loaded?: ConsentSnapshot
    ) => Effect.Effect<Option.Option<ConsentDecision>, StoreError>

    /**
     * Stores a grant without a request, with its receipt and event. Commits only if no block stops it (`stopsConsent`)
     * and the merchant is not REJECTED or CLOSED.
     */
    readonly grant: (
      lookup: PersonLookup,
      decide: (snapshot: GrantSnapshot) => GrantDecision
    ) => Effect.Effect<GrantDecision, StoreError>

    /**
     * Ends a grant and stores the receipt and event. Commits only if the grant is still `ACTIVE`, so at most one of
     * several concurrent attempts commits. A read that begins after the commit, on any node, does not use the grant.
     * Returns `None` if the grant does not exist.
     */
    readonly end: (
      target: ConsentTarget<GrantId>,
      decide: (snapshot: GrantEndSnapshot) => GrantEndDecision
    ) => Effect.Effect<Option.Option<GrantEndDecision>, StoreError>

    /**
     * Blocks the merchant from asking. A no-op if the person does not exist or a block is already in force, except that
     * `NOT_ME` replaces `STOP_ASKING`.
     */
    readonly block: (block: AskingBlock) => Effect.Effect<void, StoreError>

    /**
     * Lifts the block between a merchant and a person. With `reason`, only a block with that reason is lifted. Returns
     * the reason of the lifted block, or undefined if none was lifted.
     */
    readonly liftBlock: (
      scope: MerchantScope,
      userId: UserId,
      at: DateTime.Utc,
      reason?: AskingBlockReason
    ) => Effect.Effect<AskingBlockReason | undefined, StoreError>

    /**
     * Loads the person's grants to the merchant and the merchant's requests to the person, and records a read. A read
     * commits only if the snapshot's active grants are still active and the person is not restricted. If the read uses
     * up a one-time grant, the commit also ends that grant, with a receipt and an event. So at most one of several
     * concurrent reads uses up the grant.
     */
    readonly read: (
      lookup: PersonLookup,
      decide: (snapshot: IdentityReadSnapshot) => IdentityReadDecision
    ) => Effect.Effect<IdentityReadDecision, StoreError>
  }
>()("@surety/core/consent/ConsentStore") {}
