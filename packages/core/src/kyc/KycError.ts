import { Schema } from "effect"
import { VerificationStatus } from "./verification/Verification.js"

/** `user_id` and `service_id` do not name one person. */
export class SubjectMismatch extends Schema.TaggedError<SubjectMismatch>("@surety/core/kyc/KycError/SubjectMismatch")(
  "SubjectMismatch",
  {}
) {}

/** There is no such person, or the merchant may not name them: the same for both. */
export class LinkedUserNotFound extends Schema.TaggedError<LinkedUserNotFound>(
  "@surety/core/kyc/KycError/LinkedUserNotFound"
)("LinkedUserNotFound", {}) {}

/** Nobody verifies in this environment. */
export class KycProviderNotConfigured extends Schema.TaggedError<KycProviderNotConfigured>(
  "@surety/core/kyc/KycError/KycProviderNotConfigured"
)("KycProviderNotConfigured", {}) {}

/** Every rule that can refuse a verification (contract 8). */
export const VerificationRefusal = Schema.Union([SubjectMismatch, LinkedUserNotFound, KycProviderNotConfigured])
export type VerificationRefusal = typeof VerificationRefusal.Type

/** A rule refused the verification; nothing happened, and the idempotency key is free to be used again. */
export class VerificationRefused extends Schema.TaggedError<VerificationRefused>(
  "@surety/core/kyc/KycError/VerificationRefused"
)("VerificationRefused", { reason: VerificationRefusal }) {}

/** This merchant has no such verification of a linked person in this environment. */
export class VerificationNotFound extends Schema.TaggedError<VerificationNotFound>(
  "@surety/core/kyc/KycError/VerificationNotFound"
)("VerificationNotFound", {}) {}

/** A code was sent for a verification that does not wait for one. */
export class VerificationNeedsNoAction extends Schema.TaggedError<VerificationNeedsNoAction>(
  "@surety/core/kyc/KycError/VerificationNeedsNoAction"
)("VerificationNeedsNoAction", { status: VerificationStatus }) {}

/** Somebody is at this verification: another code, or a look at the provider. */
export class VerificationBusy extends Schema.TaggedError<VerificationBusy>(
  "@surety/core/kyc/KycError/VerificationBusy"
)("VerificationBusy", { retryAfterSeconds: Schema.Int }) {}

/** The provider did not take the code. It is safe to send again. */
export class KycProviderUnavailable extends Schema.TaggedError<KycProviderUnavailable>(
  "@surety/core/kyc/KycError/KycProviderUnavailable"
)("KycProviderUnavailable", { retryAfterSeconds: Schema.Int }) {}
