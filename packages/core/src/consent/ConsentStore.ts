import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { IdentityField } from "../consumer/IdentityField.js"
import type { DataRequestId, GrantId, UserId } from "../Ids.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { AskingBlock } from "./asking/AskingBlock.js"
import type { GrantDecision, GrantEndDecision, GrantEndSnapshot, GrantSnapshot } from "./grant/decideGrant.js"
import type { IdentityReadDecision, IdentityReadSnapshot } from "./read/decideIdentityRead.js"
import type { ConsentDecision, ConsentSnapshot } from "./request/decideConsent.js"
import type { DataRequestDecision, DataRequestSnapshot } from "./request/decideDataRequest.js"

/** What to read for a decision on a new request. */
export interface DataRequestLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly serviceId: ConsumerId
  /** What is asked: the snapshot tells of the same question asked before. */
  readonly requestedFields: ReadonlyArray<IdentityField>
  /** Absent: the merchant's usual purpose, as `purposeOf` says. */
  readonly purpose: string | undefined
  readonly now: DateTime.Utc
}

/** Which person of the merchant's environment is meant. */
export interface PersonLookup {
  readonly scope: MerchantScope
  readonly serviceId: ConsumerId
}

/**
 * Which record is meant: the merchant's own one of that environment or, without a scope, anybody's. A merchant's verbs
 * always carry a scope; the person's, the host's and the operator's need none.
 */
export interface ConsentTarget<Id extends DataRequestId | GrantId> {
  readonly id: Id
  readonly scope: MerchantScope | undefined
}

/**
 * The commits of consent. Each verb reads a snapshot, asks `decide`, and commits the plan when it says `Execute`, all or
 * nothing, only if what was decided on still stands; otherwise it reads again and asks again, so `decide` must be pure
 * and may be called any number of times. What is answered is the last decision; `Execute` means that it is committed.
 *
 * A plan's receipt becomes the next link of the chain of its merchant and environment in the same commit: its sequence
 * is one more than the last one's, its previous hash is that one's hash (`ReceiptChain.genesis` before the first), and
 * its hash is the lower-case hex of SHA-256 over the previous hash, in hex, followed by its body, in UTF-8. Of any number
 * of commits at once, in whatever processes, no two take the same place and none is left out.
 *
 * A plan's events are stored with a delivery for each endpoint that wants them, and `DeliverySignal` is notified after
 * the commit.
 */
export class ConsentStore extends Context.Service<
  ConsentStore,
  {
    /**
     * Stores a request with its key, fingerprint, answer and link, or another key of an open question. The commit takes
     * place only if the key is free: under any concurrency one key never has two meanings. A request that asks a person
     * is committed only if nothing else was asked of that person by the merchant, and no block was made, since the
     * snapshot: concurrent equal questions make one request, and no bound on asking is passed.
     */
    readonly request: (
      lookup: DataRequestLookup,
      decide: (snapshot: DataRequestSnapshot) => DataRequestDecision
    ) => Effect.Effect<DataRequestDecision, StoreError>

    /**
     * Moves a pending request on, with its grant, receipt, events and asking block. The commit takes place only if the request is still
     * `PENDING`: of any number of decisions at once exactly one is committed. None where there is no such request.
     */
    readonly decide: (
      target: ConsentTarget<DataRequestId>,
      decide: (snapshot: ConsentSnapshot) => ConsentDecision
    ) => Effect.Effect<Option.Option<ConsentDecision>, StoreError>

    /** Stores a grant that is given without a request, with its receipt and event. */
    readonly grant: (
      lookup: PersonLookup,
      decide: (snapshot: GrantSnapshot) => GrantDecision
    ) => Effect.Effect<GrantDecision, StoreError>

    /**
     * Ends a grant, with its receipt. The commit takes place only if the grant is still `ACTIVE`: of any number of ends at
     * once exactly one is committed. A reading that begins after it has returned, on whatever node, sees the end. None
     * where there is no such grant.
     */
    readonly end: (
      target: ConsentTarget<GrantId>,
      decide: (snapshot: GrantEndSnapshot) => GrantEndDecision
    ) => Effect.Effect<Option.Option<GrantEndDecision>, StoreError>

    /** Blocks the merchant from asking. A block that is in force stays as it is. */
    readonly block: (block: AskingBlock) => Effect.Effect<void, StoreError>

    /** Lifts the block between a merchant and a person. Returns whether one was in force. */
    readonly liftBlock: (scope: MerchantScope, userId: UserId, at: DateTime.Utc) => Effect.Effect<boolean, StoreError>

    /** Reads what there is between a merchant and a person, and stores that the merchant has read. */
    readonly read: (
      lookup: PersonLookup,
      decide: (snapshot: IdentityReadSnapshot) => IdentityReadDecision
    ) => Effect.Effect<IdentityReadDecision, StoreError>
  }
>()("@surety/core/consent/ConsentStore") {}
