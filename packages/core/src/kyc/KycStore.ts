import { Context, type DateTime, type Effect, type Option } from "effect"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { UserId, VerificationId } from "../Ids.js"
import type { IdempotencyKey } from "../idempotency/IdempotencyKey.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { KycProof } from "./evidence/KycStanding.js"
import type { VerificationDecision, VerificationSnapshot } from "./verification/decideVerification.js"
import type { Verification } from "./verification/Verification.js"

/** What to read for a decision on a verification. At least one name of the person is there. */
export interface VerificationLookup {
  readonly scope: MerchantScope
  readonly idempotencyKey: IdempotencyKey
  readonly userId: UserId | undefined
  readonly serviceId: ConsumerId | undefined
}

/**
 * An open verification in the hands of one worker: a later holder has a higher fence, and the earlier one's writes
 * fail.
 */
export interface HeldVerification {
  readonly verification: Verification
  readonly fence: number
  /** How many of the looks at the provider were scheduled so far. */
  readonly looks: number
  /** Since when, or from when on, the provider is to be looked at. */
  readonly dueAt: DateTime.Utc
}

/** The fence of whoever has begun a verification. */
export const firstFence = 1

/** Which open verifications to take. */
export interface VerificationClaim {
  readonly now: DateTime.Utc
  /** Until when they are the caller's alone. */
  readonly heldUntil: DateTime.Utc
  readonly limit: number
  /** This one only, where it is due. */
  readonly id?: VerificationId | undefined
}

/** Which verification a provider's own call means: by our reference, or by the provider's. */
export interface CalledVerification {
  readonly provider: string
  readonly reference: VerificationId | undefined
  readonly providerReference: string | undefined
}

/** What a verification has come to, to be committed all or nothing. */
export interface VerificationProgress {
  readonly held: HeldVerification
  /** The verification from now on. Only status, checks, method, reason, provider's reference and end can differ. */
  readonly verification: Verification
  readonly looks: number
  /** When the provider is looked at next; absent for what has ended. */
  readonly dueAt: DateTime.Utc | undefined
  /** Until when it stays the holder's; absent: it is nobody's again. */
  readonly heldUntil: DateTime.Utc | undefined
  /** Kept as the answer to its request unless one is kept already: the first answer stays. */
  readonly answer: string
  /** The evidence that a `VERIFIED` end leaves, and what it makes of the person; absent for every other progress. */
  readonly proof: KycProof | undefined
}

export class KycStore extends Context.Service<
  KycStore,
  {
    /**
     * Reads a snapshot, asks `decide`, and commits the plan when it says `Execute`: the verification with its key,
     * fingerprint and answer, held by the caller with `firstFence` until the plan's time, and its receipt as the next link
     * of the merchant's chain (see `ConsentStore`); all or nothing.
     *
     * The commit takes place only if the key is still free. Otherwise the store reads again and asks again, so `decide`
     * must be pure and may be called any number of times. What is answered is the last decision; `Execute` means that it is
     * committed. Of any number of requests at once, in whatever processes, one key never begins two verifications.
     */
    readonly begin: (
      lookup: VerificationLookup,
      decide: (snapshot: VerificationSnapshot) => VerificationDecision
    ) => Effect.Effect<VerificationDecision, StoreError>

    /**
     * The merchant's verification of a person whom it may name now, by our reference, else by the provider's; of several
     * with the provider's reference the newest.
     */
    readonly find: (scope: MerchantScope, reference: string) => Effect.Effect<Option.Option<Verification>, StoreError>

    /**
     * Takes open verifications that are due and that nobody holds for the caller alone, the longest due first. Of any
     * number of callers at once exactly one gets each.
     */
    readonly claim: (claim: VerificationClaim) => Effect.Effect<ReadonlyArray<HeldVerification>, StoreError>

    /** Takes an open verification for the caller alone, due or not, when nobody holds it at `now`. */
    readonly hold: (
      id: VerificationId,
      now: DateTime.Utc,
      heldUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<HeldVerification>, StoreError>

    /**
     * Takes an open verification of that provider from whoever holds it: the provider has said itself what became of it.
     * Of several with the provider's reference the newest.
     */
    readonly seize: (
      called: CalledVerification,
      heldUntil: DateTime.Utc
    ) => Effect.Effect<Option.Option<HeldVerification>, StoreError>

    /**
     * Commits what a verification has come to, all or nothing, and returns the answer that is kept. Returns none, and
     * stores nothing, if the fence is no longer the caller's or the verification has ended.
     *
     * A `proof` appends its evidence and gives the person the standing that `standingOf` returns for what is stored at the
     * commit: the person's status and tier, and all evidence of them in that environment. If another verification of the
     * person ends at the same time, the store reads again and asks again, so both leave evidence and the standing follows
     * from all of it.
     */
    readonly save: (progress: VerificationProgress) => Effect.Effect<Option.Option<string>, StoreError>

    /**
     * Forgets the idempotency key, fingerprint and answer of at most `limit` verifications that were made before
     * `madeBefore` and have ended, the oldest first. The verifications stay; their keys are free. Answers how many there
     * were.
     */
    readonly forgetAnswers: (madeBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/kyc/KycStore") {}
