import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { UserId, VerificationId } from "../../Ids.js"
import {
  Checks,
  FailureReason,
  ProviderReference,
  type Verification,
  VerificationKind,
  VerificationStatus
} from "./Verification.js"

/** The verification as merchants read it (contract 8). */
export const VerificationRecord = Schema.Struct({
  reference: VerificationId,
  providerReference: Schema.optionalKey(ProviderReference),
  status: VerificationStatus,
  kind: VerificationKind,
  serviceId: ConsumerId,
  userId: UserId,
  tier: Schema.optionalKey(Schema.String),
  /** All four, `NOT_CHECKED` where nothing was compared. */
  checks: Checks,
  failureReason: Schema.optionalKey(FailureReason),
  provider: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  completedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type VerificationRecord = typeof VerificationRecord.Type

const checksOf = ({ date_of_birth, first_name, last_name, selfie }: Checks): Checks => ({
  first_name,
  last_name,
  date_of_birth,
  selfie
})

/** The record as JSON text, its keys in a fixed order: the body of the answer to `POST /v1/kyc/verifications`. */
export const answerBody = (verification: Verification): string =>
  JSON.stringify({
    reference: verification.id,
    providerReference: verification.providerReference,
    status: verification.status,
    kind: verification.kind,
    serviceId: verification.serviceId,
    userId: verification.userId,
    tier: verification.tier,
    checks: checksOf(verification.checks),
    failureReason: verification.failureReason,
    provider: verification.provider,
    createdAt: DateTime.formatIso(verification.createdAt),
    completedAt: verification.completedAt === undefined ? undefined : DateTime.formatIso(verification.completedAt)
  } satisfies Record<keyof VerificationRecord, unknown>)
