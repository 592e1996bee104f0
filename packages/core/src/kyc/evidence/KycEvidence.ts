import { Schema } from "effect"
import { Environment } from "../../Environment.js"
import { MerchantId, UserId, VerificationId } from "../../Ids.js"
import { Checks, ConsentMethod, VerificationKind } from "../verification/Verification.js"

/**
 * Evidence about a person from one `VERIFIED` verification, appended in the commit that ends the verification. Only the
 * person's erasure changes it. It contains neither the number nor a hash of it.
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
  /** The tier requested by the merchant, as free text. */
  tier: Schema.optionalKey(Schema.String),
  provedAt: Schema.DateTimeUtc
})
export type KycEvidence = typeof KycEvidence.Type
