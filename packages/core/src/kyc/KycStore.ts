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
import type { Verification } from "./verification/Verification.js"

/** What to load for a verification. At least one name of the person is present. */
export interface VerificationLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly userId: UserId | undefined
  readonly serviceId: ConsumerId | undefined
}

/** An open verification leased to one worker. */
export type LeasedVerification = Leased<{
  readonly verification: Verification
  /** How many lookups were scheduled so far. */
  readonly looks: number
  /** How many of the holder's codes were passed on. */
  readonly codes: number
  /** When the next lookup is due. */
  readonly dueAt: DateTime.Utc
}>

/** Which open verifications to lease. */
export interface VerificationClaim extends Claim {
  /** Only this one, if it is due. */
  readonly id?: VerificationId | undefined
}

/** The verification that a provider's callback is about, by our reference or by the provider's. */
export interface CalledVerification {
  readonly provider: string
  readonly reference: VerificationId | undefined
  readonly providerReference: string | undefined
}

/** The outcome of leased work on a verification, to be committed all or nothing. */
export interface VerificationProgress {
  readonly leased: LeasedVerification
  /** The verification from now on. Only status, checks, method, action, reason, provider's reference and end can differ. */
  readonly verification: Verification
  readonly looks: number
  readonly codes: number
  /** When the next lookup is due. Absent once the verification has ended. */
  readonly dueAt: DateTime.Utc | undefined
  /** Until when the lease lasts. Absent: the lease is released. */
  readonly leasedUntil: DateTime.Utc | undefined
  /** The answer to its request, unless one is stored already: the first answer stays. */
  readonly answer: string
  /** The evidence of a `VERIFIED` end, and the standing that it gives the person. Absent for any other progress. */
  readonly proof: KycProof | undefined
  /** `kyc.verification.completed`, if the verification has ended. */
  readonly event: DomainEvent | undefined
}

/** The commits of KYC. */
export class KycStore extends Context.Service<
  KycStore,
  {
    /**
     * Loads a snapshot, calls `decide`, and commits the plan of an `Execute` all or nothing: the verification with its
     * key, fingerprint and answer, leased to the caller with `firstFence` until the plan's time, its receipt as the next
     * link of the merchant's chain (see `ConsentStore`), and the event of one that has ended already.
     *
     * Commits only if the key is still free; otherwise it starts again. So `decide` must be pure and may be called many
     * times. The result is the last decision; `Execute` means that it is committed. Under any concurrency,
     * across processes, one key never begins two verifications.
     */
    readonly begin: (
      lookup: VerificationLookup,
      decide: (snapshot: VerificationSnapshot) => VerificationDecision
    ) => Effect.Effect<VerificationDecision, StoreError>

    /**
     * The merchant's verification of a linked person, by our reference, else by the provider's. If several have the
     * provider's reference, the newest.
     */
    readonly find: (scope: MerchantScope, reference: string) => Effect.Effect<Option.Option<Verification>, StoreError>

    /**
     * Leases open verifications that are due and not leased, the longest due first. Of concurrent callers exactly one
     * gets each.
     */
    readonly claim: (claim: VerificationClaim) => Effect.Effect<ReadonlyArray<LeasedVerification>, StoreError>

    /** Leases an open verification, due or not, if it is not leased at `now`. */
    readonly lease: (
      id: VerificationId,
      now: DateTime.Utc,
      leasedUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<LeasedVerification>, StoreError>

    /**
     * Leases an open verification of that provider even if another worker has it: the provider itself has reported the
     * outcome. If several have the provider's reference, the newest. With `freeAt`, only if it is not leased at that
     * time: the provider has only hinted at news.
     */
    readonly leaseCalled: (
      called: CalledVerification,
      leasedUntil: DateTime.Utc,
      freeAt?: DateTime.Utc
    ) => Effect.Effect<Option.Option<LeasedVerification>, StoreError>

    /**
     * Records that another provider is asked from now on, and renews the lease. Returns false, and stores nothing, if the
     * fence is no longer the caller's, or a provider has confirmed the verification already.
     */
    readonly reroute: (
      leased: LeasedVerification,
      provider: string,
      leasedUntil: DateTime.Utc
    ) => Effect.Effect<boolean, StoreError>

    /**
     * Commits the outcome of leased work all or nothing, with its event, and returns the stored answer. Returns none, and stores
     * nothing, if the fence is no longer the caller's or the verification has ended.
     *
     * A `proof` appends its evidence and gives the person the standing that `standingOf` returns for what is stored at
     * the commit: the person's status and tier, and all evidence of them in that environment. If another verification
     * of the person ends at the same time, the store loads and decides again, so both leave evidence and the standing
     * follows from all of it.
     */
    readonly settle: (progress: VerificationProgress) => Effect.Effect<Option.Option<string>, StoreError>

    /**
     * Deletes the idempotency key, fingerprint and answer of at most `limit` verifications created before `madeBefore`
     * that have ended, the oldest first. The verifications stay; their keys are free. Returns how many.
     */
    readonly forgetAnswers: (madeBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/kyc/KycStore") {}
