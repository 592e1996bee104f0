import { Context, type Effect, type Option, Redacted, Schema } from "effect"
import type { VerificationId } from "../../Ids.js"
import type { CodeChannel } from "../verification/NextAction.js"
import { KycFailureReason, type VerificationKind } from "../verification/Verification.js"
import type { KycCallback, KycCalled } from "./KycCallback.js"
import type { KycCapabilities } from "./KycCapabilities.js"
import type { KycOutcome } from "./KycOutcome.js"

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
  readonly kind: VerificationKind
  /** The provider's reference. Absent while its response to the submission is unknown. */
  readonly providerReference: string | undefined
  /** Set for a lookup that is due: in TEST the merchant may have moved its clock, so the real time does not decide. */
  readonly isDue?: true
}

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
 * A provider of LIVE. TEST always uses the sandbox.
 *
 * Each verb is one attempt: timeout, retries, routing and circuit breaker are around it. Submissions cost money, so fail
 * with `KycNotSubmitted` only if that is certain. A call may be interrupted at its time limit. Errors, log lines, spans
 * and the provider's references must contain nothing of the submission.
 */
export interface KycProviderShape {
  /** Stored with each verification and named by callbacks and routes, such as `kora`. Never change it. */
  readonly name: string

  readonly capabilities: KycCapabilities

  /** Fails with `KycNotSubmitted` for a kind that is not among its capabilities. */
  readonly submit: (submission: KycSubmission) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>

  /**
   * The outcome of a verification, free of charge. None if the provider does not know it, and was never paid for it.
   * Called only for what its capabilities say can be looked up.
   */
  readonly lookup: (query: KycQuery) => Effect.Effect<Option.Option<KycOutcome>, KycOutcomeUnknown>

  /**
   * Passes the holder's one-time code on, with the channel on which it came if they named one. The outcome of a wrong
   * code is `RequiresAction` again.
   */
  readonly submitCode: (
    query: KycQuery,
    code: Redacted.Redacted<string>,
    channel?: CodeChannel
  ) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>

  /**
   * Reads a callback: checks the signature over the raw body in constant time, and decodes it. Makes no calls and keeps
   * nothing, so a repeat reads the same. `Answered` only if its capabilities say `authenticated`.
   */
  readonly callback: (callback: KycCallback) => Effect.Effect<KycCalled>
}

export class KycProvider extends Context.Service<KycProvider, KycProviderShape>()(
  "@surety/core/kyc/provider/KycProvider"
) {}
