import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { IdentityHash } from "@surety/core/kyc/command/IdentityHash"
import type { HeldVerification } from "@surety/core/kyc/KycStore"
import {
  CheckResult,
  ConsentMethod,
  FailureReason,
  ProviderReference,
  type Verification,
  VerificationKind,
  VerificationStatus
} from "@surety/core/kyc/verification/Verification"
import { Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

const VerificationRow = Schema.Struct({
  id: Column.verificationId,
  merchantId: Column.merchantId,
  environment: Environment,
  userId: UserId,
  serviceId: Column.consumerId,
  kind: VerificationKind,
  idHash: IdentityHash,
  idLast4: Schema.String,
  tier: Column.nullable(Schema.String),
  method: ConsentMethod,
  status: VerificationStatus,
  firstName: CheckResult,
  lastName: CheckResult,
  dateOfBirth: CheckResult,
  selfie: CheckResult,
  failureReason: Column.nullable(FailureReason),
  provider: Column.nullable(Schema.String),
  providerReference: Column.nullable(ProviderReference),
  createdAt: Column.time,
  completedAt: Column.nullable(Column.time)
})

const HeldRow = Schema.Struct({
  ...VerificationRow.fields,
  fence: Schema.Int,
  looks: Schema.Int,
  dueAt: Column.time
})

/** What to select of a verification `v`. */
export const columns = `v.id, v.merchant_id as "merchantId", v.environment, v.user_id as "userId",
  v.service_id as "serviceId", v.kind, v.id_hash as "idHash", v.id_last4 as "idLast4", v.tier,
  v.consent_method as method, v.status,
  v.first_name_result as "firstName", v.last_name_result as "lastName", v.date_of_birth_result as "dateOfBirth",
  v.selfie_result as selfie, v.failure_reason as "failureReason", v.provider,
  v.provider_reference as "providerReference", v.created_at as "createdAt", v.completed_at as "completedAt"`

/** The same of one in somebody's hands. */
export const heldColumns = `${columns}, v.fence, v.looks, v.due_at as "dueAt"`

const verificationOf = ({
  dateOfBirth,
  firstName,
  lastName,
  selfie,
  ...row
}: typeof VerificationRow.Type): Verification => ({
  ...row,
  checks: { first_name: firstName, last_name: lastName, date_of_birth: dateOfBirth, selfie }
})

const heldOf = ({ dueAt, fence, looks, ...row }: typeof HeldRow.Type): HeldVerification => ({
  verification: verificationOf(row),
  fence,
  looks,
  dueAt
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(VerificationRow))
const decodeHeldRows = Schema.decodeUnknownEffect(Schema.Array(HeldRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Verification>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(verificationOf))

export const decodeHeld = (
  rows: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<HeldVerification>, Schema.SchemaError> =>
  Effect.map(decodeHeldRows(rows), (decoded) => decoded.map(heldOf))
