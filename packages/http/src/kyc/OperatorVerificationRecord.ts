import { Environment } from "@surety/core/Environment"
import { MerchantId } from "@surety/core/Ids"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { VerificationRecord } from "@surety/core/kyc/verification/VerificationRecord"
import { Schema, Struct } from "effect"

/** A verification as the operator reads it: also whose it is. */
export const OperatorVerificationRecord = Schema.Struct({
  merchantId: MerchantId,
  environment: Environment,
  ...VerificationRecord.fields
}).annotate({ identifier: "OperatorVerification" })

export const operatorVerificationRecord = (verification: Verification): typeof OperatorVerificationRecord.Type => ({
  reference: verification.id,
  ...Struct.omit(verification, ["id", "idHash", "idLast4"])
})
