import { Schema } from "effect"
import { Environment } from "../../Environment.js"
import { MerchantId, UserId, VerificationId } from "../../Ids.js"
import { Checks, ConsentMethod, VerificationKind } from "../verification/Verification.js"

/**
 * What one verification proved about a person. One record per `VERIFIED` verification, appended in the commit of its end
 * and never changed. Holds no number, and no hash of one.
 */
export const KycEvidence = Schema.Struct({
  verificationId: VerificationId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  kind: VerificationKind,
  provider: Schema.String,
  checks: Checks,
  method: ConsentMethod,
  /** The tier that the merchant asked for; any text. */
  tier: Schema.optionalKey(Schema.String),
  provedAt: Schema.DateTimeUtc
})
export type KycEvidence = typeof KycEvidence.Type
