import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import type { UserId, VerificationId } from "../Ids.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { Claim, Leased } from "../Lease.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { KycProof } from "./evidence/KycStanding.js"
import type { VerificationDecision, VerificationSnapshot } from "./verification/decideVerification.js"
import type { Verification, VerificationStatus } from "./verification/Verification.js"

/** Selects the data to load for a verification. At least one of `userId` and `serviceId` is present. */
export interface VerificationLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly userId: UserId | undefined
  readonly serviceId: ConsumerId | undefined
}

/** An open verification leased to one worker. */
export type LeasedVerification = Leased<{
  readonly verification: Verification
  /** Number of lookups scheduled so far. Restarts after a code is passed on, unless the provider rejects the code. */
  readonly looks: number
  /** Number of the holder's codes passed on to the provider. */
  readonly codes: number
  /** When the next lookup is due. */
  readonly dueAt: DateTime.Utc
}>

/** Selects the open verifications to lease. */
export interface VerificationClaim extends Claim {
  /** Claims only this verification, and only if it is due and not leased. */
  readonly id?: VerificationId | undefined
}

/**
 * Identifies the verification that a provider's callback concerns: by Surety's `reference` if present, otherwise by
 * `providerReference`.
 */
export interface CalledVerification {
  readonly provider: string
  readonly reference: VerificationId | undefined
  readonly providerReference: string | undefined
}

/** Selects the leased verifications that a provider's callback does not take over from their workers. */
export interface SparedLeases {
  /** Spares a verification only if it is still leased at this time. */
  readonly leasedAt: DateTime.Utc
  /** If present, spares only a verification with this status. */
  readonly status?: VerificationStatus
}

/** The outcome of leased work on a verification, committed atomically. */
export interface VerificationProgress {
  readonly leased: LeasedVerification
  /**
   * The verification after the work. Only these fields may differ from the leased one: `status`, `checks`, `method`,
   * `nextAction`, `failureReason`, `providerReference` and `completedAt`.
   */
  readonly verification: Verification
  readonly looks: number
  readonly codes: number
  /** When the next lookup is due. Undefined once the verification has ended. */
  readonly dueAt: DateTime.Utc | undefined
  /** When the lease ends. If undefined, the lease is released. */
  readonly leasedUntil: DateTime.Utc | undefined
  /** The response to the request that began the verification. Ignored if a response is already stored. */
  readonly answer: string
  /** Evidence from a verification that ended as `VERIFIED`, and its effect on the person. Otherwise undefined. */
  readonly proof: KycProof | undefined
  /** `kyc.verification.completed`, once the verification has ended. */
  readonly event: DomainEvent | undefined
}

/** Stores verifications, leases them to workers, and finds them. */
export class KycStore extends Context.Service<
  KycStore,
  {
    /**
     * Loads a snapshot, calls `decide`, and commits the plan of an `Execute` atomically. The commit stores the
     * verification with its key, its fingerprint and its response, if any. If the plan has a `leasedUntil`, the commit
     * leases the verification to the caller until then, with `firstFence`. It also appends the receipt to the
     * merchant's chain (see `ConsentStore`), and stores the plan's event, if any.
     *
     * Commits only if the key is still free and the merchant may still refer to the person. Otherwise starts over, so
     * `decide` must be pure and may be called several times. Returns the last decision. If this is an `Execute`, it has
     * been committed. Under any concurrency, across processes, one key never begins two verifications until
     * `forgetAnswers` or the person's erasure frees it.
     */
    readonly begin: (
      lookup: VerificationLookup,
      decide: (snapshot: VerificationSnapshot) => VerificationDecision
    ) => Effect.Effect<VerificationDecision, StoreError>

    /**
     * Finds the merchant's verification of a linked person by Surety's reference or, if none has it, by the provider's.
     * If several share the provider's reference, returns the newest.
     */
    readonly find: (scope: MerchantScope, reference: string) => Effect.Effect<Option.Option<Verification>, StoreError>

    /**
     * Leases open verifications that are due and not leased, up to the claim's `limit`, longest overdue first.
     * Concurrent callers never lease the same one.
     */
    readonly claim: (claim: VerificationClaim) => Effect.Effect<ReadonlyArray<LeasedVerification>, StoreError>

    /** Leases an open verification, due or not, if it is not leased at `now`. */
    readonly lease: (
      id: VerificationId,
      now: DateTime.Utc,
      leasedUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<LeasedVerification>, StoreError>

    /**
     * Leases the open verification that the callback concerns. If several share the provider's reference, leases the
     * newest. Unless `spared` selects it, also takes over a verification leased to another worker, since the callback
     * reports an outcome. Pass `spared` for a callback that may report no outcome: a hint, or a repeated action.
     */
    readonly leaseCalled: (
      called: CalledVerification,
      leasedUntil: DateTime.Utc,
      spared?: SparedLeases
    ) => Effect.Effect<Option.Option<LeasedVerification>, StoreError>

    /**
     * Assigns the verification to another provider, and renews the lease. Returns false and stores nothing if the fence
     * is out of date, or the verification has ended or has a `providerReference`.
     */
    readonly reroute: (
      leased: LeasedVerification,
      provider: string,
      leasedUntil: DateTime.Utc
    ) => Effect.Effect<boolean, StoreError>

    /**
     * Commits the outcome of leased work atomically with its event, and returns the stored response. Returns `None` and
     * stores nothing if the fence is out of date or the verification has ended.
     *
     * A `proof` appends its evidence and sets the person's standing to the result of `standingOf`. That function gets
     * the state at the commit: the person's status and tier, and all their evidence in that environment. If another
     * commit adds evidence about the person first, the store loads the state and calls `standingOf` again. So the
     * standing reflects all evidence.
     */
    readonly settle: (progress: VerificationProgress) => Effect.Effect<Option.Option<string>, StoreError>

    /**
     * Deletes the idempotency key, fingerprint and response of at most `limit` ended verifications created before
     * `madeBefore`, the oldest first. The verifications stay, and their keys become free. Returns the count.
     */
    readonly forgetAnswers: (madeBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/kyc/KycStore") {}
