import { Context, type Effect, type Option, Redacted, Result, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import type { VerificationId } from "../../Ids.js"
import { CheckResult, FailureReason, ProviderReference, type VerificationKind } from "../verification/Verification.js"

/** What the provider is to compare; absent values are not. They live in memory only. */
export interface KycValidation {
  readonly firstName?: Redacted.Redacted<string>
  readonly lastName?: Redacted.Redacted<string>
  /** `YYYY-MM-DD` in what a provider is given; a date that cannot be understood is left out there. */
  readonly dateOfBirth?: Redacted.Redacted<string>
  /** Up to 12,000,000 characters: pass it on, do not copy it. */
  readonly selfie?: Redacted.Redacted<string>
}

/** What is submitted. The number is of its kind's form; the person has consented. */
export interface KycSubmission {
  /** Our reference. Where the provider takes an idempotency key, it is this. */
  readonly reference: VerificationId
  readonly kind: VerificationKind
  readonly id: Redacted.Redacted<string>
  readonly validation: KycValidation
}

/** All that a submission says of the person. */
export const textsOf = ({ id, validation }: KycSubmission): ReadonlyArray<string> =>
  [id, ...Object.values(validation)].flatMap((value) => (value === undefined ? [] : [Redacted.value(value)]))

/** Which verification is asked after. */
export interface KycQuery {
  readonly reference: VerificationId
  /** What the provider calls it; absent while its answer to the submission is not known. */
  readonly providerReference: string | undefined
}

const ComparedFields = Schema.Struct({
  first_name: Schema.optionalKey(CheckResult),
  last_name: Schema.optionalKey(CheckResult),
  date_of_birth: Schema.optionalKey(CheckResult),
  selfie: Schema.optionalKey(CheckResult)
})

/**
 * What a provider says of a verification.
 *
 * `providerReference` is the provider's own name for it, or our reference where it has none. Reasons are codes, and no
 * text of the provider's is passed on: there might be somebody's number in it. What an adapter does not recognise is
 * `Unrecognised`, never a guess; whatever is not of this union is taken for `Unrecognised` too.
 */
export const KycOutcome = Schema.TaggedUnion({
  /** The number is known, and its holder compares with what was sent as `checks` say. */
  Verified: { providerReference: ProviderReference, checks: ComparedFields },
  /** The provider has decided: there is no such number, or it is somebody else's. */
  Failed: {
    providerReference: Schema.optionalKey(ProviderReference),
    reason: FailureReason,
    checks: ComparedFields
  },
  /** The answer comes later. */
  Pending: { providerReference: ProviderReference },
  /** The holder is sent a one-time code, which goes to `submitCode`. */
  RequiresAction: { providerReference: ProviderReference },
  /** The provider could not find out, and will not by itself. */
  Errored: { providerReference: Schema.optionalKey(ProviderReference), reason: FailureReason },
  Unrecognised: { providerReference: Schema.optionalKey(ProviderReference) }
})
export type KycOutcome = typeof KycOutcome.Type

/** Reads a provider's outcome. An adapter may be a stranger's, and its types a hope. */
export const readOutcome = reading(KycOutcome, "a KycOutcome of exactly its fields")

/** What is no outcome is never taken for a good one. */
export const recognised = (outcome: unknown): KycOutcome =>
  Result.getOrElse(readOutcome(outcome), (): KycOutcome => ({ _tag: "Unrecognised" }))

/**
 * The submission did not reach the provider, or was turned away before anything was done or charged: it is safe to send
 * again. `reason` is a code: `connection_refused`, `rate_limited`, `balance_empty`.
 */
export class KycNotSubmitted extends Schema.TaggedError<KycNotSubmitted>(
  "@surety/core/kyc/provider/KycProvider/KycNotSubmitted"
)("KycNotSubmitted", { reason: FailureReason }) {}

/**
 * The provider did not answer, or not clearly. Whether it took what was sent is unknown: it is looked up by our
 * reference before it is ever sent again.
 */
export class KycOutcomeUnknown extends Schema.TaggedError<KycOutcomeUnknown>(
  "@surety/core/kyc/provider/KycProvider/KycOutcomeUnknown"
)("KycOutcomeUnknown", { reason: FailureReason }) {}

/**
 * Who verifies in LIVE. TEST uses the sandbox always.
 *
 * Every verb is one attempt: timeout, retries and circuit breaker are around it. Submissions cost money, so an error is
 * `KycNotSubmitted` only where that is certain. A call may be interrupted when its time is over. Neither errors nor log
 * lines may hold anything of the submission, nor may a provider's reference.
 */
export class KycProvider extends Context.Service<
  KycProvider,
  {
    /** Kept with each verification, and named by callbacks: `kora`. It stays the same for good. */
    readonly name: string

    readonly submit: (submission: KycSubmission) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>

    /** What has become of a verification; none when the provider does not know it, and was never paid for it. */
    readonly lookup: (query: KycQuery) => Effect.Effect<Option.Option<KycOutcome>, KycOutcomeUnknown>

    /** Passes the holder's one-time code on. A code that was wrong is answered with `RequiresAction` again. */
    readonly submitCode: (
      query: KycQuery,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>
  }
>()("@surety/core/kyc/provider/KycProvider") {}
