import { Context, type Effect, type Option, Redacted, Result, Schema } from "effect"
import { reading } from "../../host/HostAnswer.js"
import type { VerificationId } from "../../Ids.js"
import {
  CheckResult,
  KycFailureReason,
  ProviderReference,
  type VerificationKind
} from "../verification/Verification.js"

/** What the provider compares; it leaves out absent values. They live in memory only. */
export interface KycValidation {
  readonly firstName?: Redacted.Redacted<string>
  readonly lastName?: Redacted.Redacted<string>
  /** `YYYY-MM-DD`. A provider never gets a date that could not be parsed. */
  readonly dateOfBirth?: Redacted.Redacted<string>
  /** Up to 12,000,000 characters: pass it on, do not copy it. */
  readonly selfie?: Redacted.Redacted<string>
}

/** A submission. The number has the form of its kind; the person has consented. */
export interface KycSubmission {
  /** Our reference. Use it as the idempotency key if the provider takes one. */
  readonly reference: VerificationId
  readonly kind: VerificationKind
  readonly id: Redacted.Redacted<string>
  readonly validation: KycValidation
}

/** Everything that a submission says of the person. */
export const textsOf = ({ id, validation }: KycSubmission): ReadonlyArray<string> =>
  [id, ...Object.values(validation)].flatMap((value) => (value === undefined ? [] : [Redacted.value(value)]))

/** Which verification to look up. */
export interface KycQuery {
  readonly reference: VerificationId
  /** The provider's reference. Absent while its response to the submission is unknown. */
  readonly providerReference: string | undefined
  /** Set for a lookup that is due: in TEST the merchant may have moved its clock, so the real time does not tell. */
  readonly isDue?: true
}

const ComparedFields = Schema.Struct({
  first_name: Schema.optionalKey(CheckResult),
  last_name: Schema.optionalKey(CheckResult),
  date_of_birth: Schema.optionalKey(CheckResult),
  selfie: Schema.optionalKey(CheckResult)
})

/**
 * The outcome of a verification at the provider.
 *
 * `providerReference` is the provider's own reference, or ours if it has none. Reasons are codes: none of the
 * provider's text is passed on, since it may contain a person's number. What an adapter does not recognise is
 * `Unrecognised`, never a guess; anything outside this union becomes `Unrecognised` too.
 */
export const KycOutcome = Schema.TaggedUnion({
  /** The number exists; `checks` compare its holder with what was sent. */
  Verified: { providerReference: ProviderReference, checks: ComparedFields },
  /** The provider decided: the number does not exist, or belongs to someone else. */
  Failed: {
    providerReference: Schema.optionalKey(ProviderReference),
    reason: KycFailureReason,
    checks: ComparedFields
  },
  /** The result comes later. */
  Pending: { providerReference: ProviderReference },
  /** The provider sends the holder a one-time code, which goes to `submitCode`. */
  RequiresAction: { providerReference: ProviderReference },
  /** The provider could not find out, and will not without another submission. */
  Errored: { providerReference: Schema.optionalKey(ProviderReference), reason: KycFailureReason },
  Unrecognised: { providerReference: Schema.optionalKey(ProviderReference) }
})
export type KycOutcome = typeof KycOutcome.Type

/** Reads a provider's outcome. Adapters are third-party code, so their types are not trusted. */
export const readKycOutcome = reading(KycOutcome, "a KycOutcome of exactly its fields")

/** Treats an invalid outcome as `Unrecognised`, never as a good one. */
export const recognised = (outcome: unknown): KycOutcome =>
  Result.getOrElse(readKycOutcome(outcome), (): KycOutcome => ({ _tag: "Unrecognised" }))

/**
 * The submission did not reach the provider, or was rejected before anything was done or charged: it is safe to send
 * again. `reason` is a code: `connection_refused`, `rate_limited`, `balance_empty`.
 */
export class KycNotSubmitted extends Schema.TaggedError<KycNotSubmitted>(
  "@surety/core/kyc/provider/KycProvider/KycNotSubmitted"
)("KycNotSubmitted", { reason: KycFailureReason }) {
  override get message(): string {
    return `The KYC provider did not accept the submission: ${this.reason}.`
  }
}

/**
 * The provider did not respond, or not clearly. Whether it took the submission is unknown, so it is looked up by our
 * reference before it is ever sent again.
 */
export class KycOutcomeUnknown extends Schema.TaggedError<KycOutcomeUnknown>(
  "@surety/core/kyc/provider/KycProvider/KycOutcomeUnknown"
)("KycOutcomeUnknown", { reason: KycFailureReason }) {
  override get message(): string {
    return `The KYC provider may or may not have accepted the submission: ${this.reason}.`
  }
}

/**
 * The provider of LIVE. TEST always uses the sandbox.
 *
 * Each verb is one attempt: timeout, retries and circuit breaker are around it. Submissions cost money, so fail with
 * `KycNotSubmitted` only if that is certain. A call may be interrupted at its time limit. Errors, log lines and the
 * provider's references must contain nothing of the submission.
 */
export class KycProvider extends Context.Service<
  KycProvider,
  {
    /** Stored with each verification and named by callbacks, such as `kora`. Never change it. */
    readonly name: string

    readonly submit: (submission: KycSubmission) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>

    /** The outcome of a verification. None if the provider does not know it, and was never paid for it. */
    readonly lookup: (query: KycQuery) => Effect.Effect<Option.Option<KycOutcome>, KycOutcomeUnknown>

    /** Passes the holder's one-time code on. The outcome of a wrong code is `RequiresAction` again. */
    readonly submitCode: (
      query: KycQuery,
      code: Redacted.Redacted<string>
    ) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>
  }
>()("@surety/core/kyc/provider/KycProvider") {}
