import { Schema } from "effect"
import { CodeChannel } from "./verification/NextAction.js"
import { VerificationStatus } from "./verification/Verification.js"

/**
 * Both `user_id` and `service_id` were sent, but only one names a linked person, or they name different linked persons.
 */
export class SubjectMismatch extends Schema.TaggedError<SubjectMismatch>("@surety/core/kyc/KycError/SubjectMismatch")(
  "SubjectMismatch",
  {}
) {
  override get message(): string {
    return "user_id and service_id do not name the same consumer."
  }
}

/**
 * The person does not exist, or the merchant has neither a link to them nor an active grant. One error covers both, so
 * a merchant cannot learn which is the case.
 */
export class LinkedUserNotFound extends Schema.TaggedError<LinkedUserNotFound>(
  "@surety/core/kyc/KycError/LinkedUserNotFound"
)("LinkedUserNotFound", {}) {
  override get message(): string {
    return "The merchant is not linked to such a consumer."
  }
}

/** No provider is configured for this kind of number in this environment. */
export class KycProviderNotConfigured extends Schema.TaggedError<KycProviderNotConfigured>(
  "@surety/core/kyc/KycError/KycProviderNotConfigured"
)("KycProviderNotConfigured", {}) {
  override get message(): string {
    return "No KYC provider is configured for this kind of number in this environment."
  }
}

/** Reasons to refuse a verification (contract 8). */
export const VerificationRefusal = Schema.Union([SubjectMismatch, LinkedUserNotFound, KycProviderNotConfigured])
export type VerificationRefusal = typeof VerificationRefusal.Type

/** A rule refused the verification. Nothing was stored, and the idempotency key stays free. */
export class VerificationRefused extends Schema.TaggedError<VerificationRefused>(
  "@surety/core/kyc/KycError/VerificationRefused"
)("VerificationRefused", { reason: VerificationRefusal }) {
  override get message(): string {
    return this.reason.message
  }
}

/** This merchant has no such verification of a linked person in this environment. */
export class VerificationNotFound extends Schema.TaggedError<VerificationNotFound>(
  "@surety/core/kyc/KycError/VerificationNotFound"
)("VerificationNotFound", {}) {
  override get message(): string {
    return "The merchant has no such verification in this environment."
  }
}

/** A code was sent with a channel that the verification's action does not offer. */
export class CodeChannelUnknown extends Schema.TaggedError<CodeChannelUnknown>(
  "@surety/core/kyc/KycError/CodeChannelUnknown"
)("CodeChannelUnknown", { channels: Schema.Array(CodeChannel) }) {
  override get message(): string {
    return this.channels.length === 0
      ? "The verification's code has no channels: omit the channel."
      : `The code's channel must be one of ${this.channels.join(", ")}.`
  }
}

/** A code was sent for a verification that is not waiting for one. */
export class VerificationNeedsNoAction extends Schema.TaggedError<VerificationNeedsNoAction>(
  "@surety/core/kyc/KycError/VerificationNeedsNoAction"
)("VerificationNeedsNoAction", { status: VerificationStatus }) {
  override get message(): string {
    return `The verification is not waiting for a code; it is ${this.status}.`
  }
}

/**
 * The verification cannot be leased. It has ended or is leased to another worker, for example during a call to the
 * provider.
 */
export class VerificationBusy extends Schema.TaggedError<VerificationBusy>(
  "@surety/core/kyc/KycError/VerificationBusy"
)("VerificationBusy", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `The verification is in progress; retry in ${this.retryAfterSeconds} s.`
  }
}

/** The code did not reach the provider, or was rejected before any work or charge. It can safely be sent again. */
export class KycProviderUnavailable extends Schema.TaggedError<KycProviderUnavailable>(
  "@surety/core/kyc/KycError/KycProviderUnavailable"
)("KycProviderUnavailable", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `The KYC provider cannot accept the code now; retry in ${this.retryAfterSeconds} s.`
  }
}
