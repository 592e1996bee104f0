import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { Environment } from "@surety/core/Environment"
import { MerchantId, UserId, VerificationId } from "@surety/core/Ids"
import { CodeAction, type NextAction, RedirectAction } from "@surety/core/kyc/verification/NextAction"
import {
  Checks,
  KycFailureReason,
  ProviderReference,
  type Verification,
  VerificationKind,
  VerificationStatus
} from "@surety/core/kyc/verification/Verification"
import { DateTime, Schema, Struct } from "effect"

const actionEnd = Schema.DateTimeUtcFromString.annotate({
  description: "Until when the person can act. Then the verification ends as FAILED with action_expired."
})

/** The action of entering a one-time code. The merchant submits the code to `POST …/{reference}/code`. */
const CodeActionRecord = Schema.Struct({
  ...CodeAction.fields,
  channels: CodeAction.fields.channels.annotate({
    description: "The channels on which the code is sent, such as phone or email. Empty if the provider does not say."
  }),
  expiresAt: actionEnd
}).annotate({ identifier: "CodeAction" })

/** The action of consenting on the page at `url`. */
const RedirectActionRecord = Schema.Struct({
  ...RedirectAction.fields,
  url: RedirectAction.fields.url.annotate({ description: "Send the person there. Then read the verification again." }),
  expiresAt: actionEnd
}).annotate({ identifier: "RedirectAction" })

const NextActionRecord = Schema.Union([CodeActionRecord, RedirectActionRecord])

/** A verification as returned to merchants (contract 8). */
export const VerificationRecord = Schema.Struct({
  reference: VerificationId,
  providerReference: Schema.optionalKey(ProviderReference),
  status: VerificationStatus,
  kind: VerificationKind,
  serviceId: ConsumerId,
  userId: UserId,
  tier: Schema.optionalKey(Schema.String),
  /** All four checks. A field that was not compared is `NOT_CHECKED`. */
  checks: Checks,
  failureReason: Schema.optionalKey(KycFailureReason),
  /** The action that the person must take. Present only while the status is `REQUIRES_ACTION`. */
  nextAction: Schema.optionalKey(NextActionRecord),
  provider: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  completedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}).annotate({ identifier: "Verification" })

const checksOf = ({ date_of_birth, first_name, last_name, selfie }: Checks): Checks => ({
  first_name,
  last_name,
  date_of_birth,
  selfie
})

const actionJson = (action: NextAction): object => {
  const expiresAt = DateTime.formatIso(action.expiresAt)
  return action.type === "CODE"
    ? { type: action.type, channels: action.channels, expiresAt }
    : { type: action.type, url: action.url, expiresAt }
}

/** Encodes a verification's record as JSON, with keys in a fixed order. */
export const verificationJson = (verification: Verification): string =>
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
    nextAction: verification.nextAction && actionJson(verification.nextAction),
    provider: verification.provider,
    createdAt: DateTime.formatIso(verification.createdAt),
    completedAt: verification.completedAt === undefined ? undefined : DateTime.formatIso(verification.completedAt)
  } satisfies Record<keyof typeof VerificationRecord.Type, unknown>)

export const OperatorVerificationRecord = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  ...VerificationRecord.fields
}).annotate({ identifier: "OperatorVerification" })

export const operatorVerificationRecord = (verification: Verification): typeof OperatorVerificationRecord.Type => ({
  reference: verification.id,
  ...Struct.omit(verification, ["id", "idHash", "idLast4"])
})
