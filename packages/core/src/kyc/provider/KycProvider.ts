import { Context, type Effect, type Option, Redacted, Schema } from "effect"
import type { VerificationId } from "../../Ids.js"
import type { CodeChannel } from "../verification/NextAction.js"
import { KycFailureReason, type VerificationKind } from "../verification/Verification.js"
import type { KycCallback, KycCalled } from "./KycCallback.js"
import type { KycCapabilities } from "./KycCapabilities.js"
import type { KycOutcome } from "./KycOutcome.js"

/** Values for the provider to compare, held only in memory. The provider does not check an absent value. */
export interface KycValidation {
  readonly firstName?: Redacted.Redacted<string>
  readonly lastName?: Redacted.Redacted<string>
  /** In a request, as sent. In a submission, `YYYY-MM-DD`, or omitted if it could not be parsed. */
  readonly dateOfBirth?: Redacted.Redacted<string>
  /** Up to 12,000,000 characters. Pass it on without copying it. */
  readonly selfie?: Redacted.Redacted<string>
}

/** A submission to a provider. The number is well-formed, and the person's consent has been attested. */
export interface KycSubmission {
  /** Surety's reference. Use it as the idempotency key if the provider accepts one. */
  readonly reference: VerificationId
  readonly kind: VerificationKind
  readonly id: Redacted.Redacted<string>
  readonly validation: KycValidation
}

/** Returns a submission's number and its values to compare, unredacted. */
export const textsOf = ({ id, validation }: KycSubmission): ReadonlyArray<string> =>
  [id, ...Object.values(validation)].flatMap((value) => (value === undefined ? [] : [Redacted.value(value)]))

/** Identifies the verification to look up, or the one for which a one-time code is submitted. */
export interface KycQuery {
  readonly reference: VerificationId
  readonly kind: VerificationKind
  /** The provider's reference. Undefined while the provider's response to the submission is unknown. */
  readonly providerReference: string | undefined
  /**
   * Set for a lookup that is due. The sandbox then ignores real time, since a merchant may have moved its TEST clock.
   */
  readonly isDue?: true
}

/**
 * The submission or code did not reach the provider, or was rejected before any work or charge. It is safe to send
 * again. `reason` is a code, such as `connection_refused`, `rate_limited` or `balance_empty`.
 *
 * `isRefusal`, from `submit` only: the provider refused the submission's content or has not enabled its product, and
 * would refuse it again. This is not a failure of the provider. The submission is not sent to that provider again, but
 * may go to the route's next provider. If all refuse, the verification ends as `ERROR` with this `reason`.
 */
export class KycNotSubmitted extends Schema.TaggedError<KycNotSubmitted>(
  "@surety/core/kyc/provider/KycProvider/KycNotSubmitted"
)("KycNotSubmitted", { reason: KycFailureReason, isRefusal: Schema.optionalKey(Schema.Boolean) }) {
  override get message(): string {
    return `The KYC provider did not accept the submission: ${this.reason}.`
  }
}

/**
 * The provider gave no response or an unclear one, or a lookup could not be made. The provider may have accepted the
 * submission or code, so look the verification up before sending again.
 */
export class KycOutcomeUnknown extends Schema.TaggedError<KycOutcomeUnknown>(
  "@surety/core/kyc/provider/KycProvider/KycOutcomeUnknown"
)("KycOutcomeUnknown", { reason: KycFailureReason }) {
  override get message(): string {
    return `The KYC provider may or may not have accepted the submission: ${this.reason}.`
  }
}

/**
 * A KYC provider. LIVE uses the host's providers; TEST always uses the sandbox.
 *
 * Each method makes one attempt. The caller adds timeouts, retries, routing and a circuit breaker. Submissions cost
 * money, so `submit` must fail with `KycNotSubmitted` only if the provider certainly did not accept the submission.
 * Results produced without contacting the provider must be marked by `answeredLocally`, so that the circuit breaker
 * does not count them. A call may be interrupted by its timeout. Errors, log lines, spans, the provider's references
 * and urls must not contain the number or any of the values to compare.
 */
export interface KycProviderShape {
  /**
   * The provider's name, such as `kora`. Stored with each verification, and used in callback urls and routes. Never
   * change it.
   */
  readonly name: string

  readonly capabilities: KycCapabilities

  /** Submits a verification. Fails with `KycNotSubmitted` if the kind is not among the capabilities. */
  readonly submit: (submission: KycSubmission) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>

  /**
   * Returns the outcome of a verification, free of charge. `None` if the provider does not know the verification and
   * never charged for it. Called only if the capabilities allow a lookup.
   */
  readonly lookup: (query: KycQuery) => Effect.Effect<Option.Option<KycOutcome>, KycOutcomeUnknown>

  /**
   * Submits the holder's one-time code, with its channel if the caller named one. A wrong code results in
   * `RequiresAction` again. Fails with `KycNotSubmitted` only if the code may safely be sent again.
   */
  readonly submitCode: (
    query: KycQuery,
    code: Redacted.Redacted<string>,
    channel?: CodeChannel
  ) => Effect.Effect<KycOutcome, KycNotSubmitted | KycOutcomeUnknown>

  /**
   * Decodes a callback after checking its signature in constant time. A signature that covers the body must be checked
   * against the raw bytes. Must make no calls and keep no state. May return `Answered` only if the capabilities say
   * `authenticated`.
   */
  readonly callback: (callback: KycCallback) => Effect.Effect<KycCalled>
}

export class KycProvider extends Context.Service<KycProvider, KycProviderShape>()(
  "@surety/core/kyc/provider/KycProvider"
) {}
