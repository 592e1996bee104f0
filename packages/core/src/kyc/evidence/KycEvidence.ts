import { Schema } from "effect"
import { Environment } from "../../Environment.js"
import { MerchantId, UserId, VerificationId } from "../../Ids.js"
import { Checks, ConsentMethod, VerificationKind } from "../verification/Verification.js"

/**
 * The facts that one verification proved about a person. Each `VERIFIED` verification appends one record, in the commit
 * that ends it. Only the person's erasure changes a record. It holds neither the number nor a hash of it.
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
