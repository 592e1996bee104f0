import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import type { KycEvidence } from "@surety/core/kyc/evidence/KycEvidence"
import { CheckResult, ConsentMethod, VerificationKind } from "@surety/core/kyc/verification/Verification"
import { Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

const EvidenceRow = Schema.Struct({
  verificationId: Column.verificationId,
  merchantId: Column.merchantId,
  environment: Environment,
  userId: UserId,
  kind: VerificationKind,
  provider: Schema.String,
  firstName: CheckResult,
  lastName: CheckResult,
  dateOfBirth: CheckResult,
  selfie: CheckResult,
  method: ConsentMethod,
  tier: Column.nullable(Schema.String),
  provedAt: Column.time
})

export const columns = `e.verification_id as "verificationId", e.merchant_id as "merchantId", e.environment,
  e.user_id as "userId", e.kind, e.provider, e.first_name_result as "firstName", e.last_name_result as "lastName",
  e.date_of_birth_result as "dateOfBirth", e.selfie_result as selfie, e.consent_method as method, e.tier,
  e.proved_at as "provedAt"`

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(EvidenceRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<KycEvidence>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) =>
    decoded.map(({ dateOfBirth, firstName, lastName, selfie, ...row }) => ({
      ...row,
      checks: { first_name: firstName, last_name: lastName, date_of_birth: dateOfBirth, selfie }
    }))
  )
