import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { IdentityHash } from "@surety/core/kyc/command/IdNumber"
import type { LeasedVerification } from "@surety/core/kyc/KycStore"
import { CodeAction, type NextAction, RedirectAction } from "@surety/core/kyc/verification/NextAction"
import {
  CheckResult,
  ConsentMethod,
  KycFailureReason,
  ProviderReference,
  type Verification,
  VerificationKind,
  VerificationStatus
} from "@surety/core/kyc/verification/Verification"
import { Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import { soundRows } from "../sql/soundRows.js"

const NextActionColumn = Schema.Union([
  Schema.Struct({ ...CodeAction.fields, expiresAt: Column.jsonTime }),
  Schema.Struct({ ...RedirectAction.fields, expiresAt: Column.jsonTime })
])

const encodeAction = Schema.encodeSync(Schema.fromJsonString(NextActionColumn))

export const actionText = (action: NextAction | undefined): string | null =>
  action === undefined ? null : encodeAction(action)

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
  failureReason: Column.nullable(KycFailureReason),
  provider: Column.nullable(Schema.String),
  providerReference: Column.nullable(ProviderReference),
  createdAt: Column.time,
  completedAt: Column.nullable(Column.time),
  nextAction: Column.nullable(NextActionColumn)
})

const LeasedRow = Schema.Struct({
  ...VerificationRow.fields,
  fence: Schema.Int,
  looks: Schema.Int,
  codes: Schema.Int,
  dueAt: Column.time
})

export const columns = `v.id, v.merchant_id as "merchantId", v.environment, v.user_id as "userId",
  v.service_id as "serviceId", v.kind, v.id_hash as "idHash", v.id_last4 as "idLast4", v.tier,
  v.consent_method as method, v.status,
  v.first_name_result as "firstName", v.last_name_result as "lastName", v.date_of_birth_result as "dateOfBirth",
  v.selfie_result as selfie, v.failure_reason as "failureReason", v.provider,
  v.provider_reference as "providerReference", v.created_at as "createdAt", v.completed_at as "completedAt",
  v.next_action as "nextAction"`

export const leasedColumns = `${columns}, v.fence, v.looks, v.codes, v.due_at as "dueAt"`

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

const heldOf = ({ codes, dueAt, fence, looks, ...row }: typeof LeasedRow.Type): LeasedVerification => ({
  verification: verificationOf(row),
  fence,
  looks,
  codes,
  dueAt
})

const decodeJsonRows = Schema.decodeUnknownEffect(
  Schema.Array(
    Schema.Struct({
      ...VerificationRow.fields,
      createdAt: Column.jsonTime,
      completedAt: Column.nullable(Column.jsonTime)
    })
  )
)
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(VerificationRow))
const decodeLeasedRows = Schema.decodeUnknownEffect(Schema.Array(LeasedRow))
const decodeClaimedRows = soundRows(LeasedRow, { operation: "KycStore.claim", id: "id" })

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Verification>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(verificationOf))

export const decodeLeased = (
  rows: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<LeasedVerification>, Schema.SchemaError> =>
  Effect.map(decodeLeasedRows(rows), (decoded) => decoded.map(heldOf))

/** Decodes claimed rows, and leaves out damaged ones. */
export const decodeClaimed = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<LeasedVerification>> =>
  Effect.map(decodeClaimedRows(rows), (decoded) => decoded.map(heldOf))

export const decodeJson = (rows: unknown): Effect.Effect<ReadonlyArray<Verification>, Schema.SchemaError> =>
  Effect.map(decodeJsonRows(rows), (decoded) => decoded.map(verificationOf))

/** Builds SQL for a JSON array of the verifications `v` that match `condition`. */
export const jsonOf = ({ name, sql }: Database, condition: Fragment): Fragment => sql`(
  select coalesce(jsonb_agg(to_jsonb(found)), '[]')
  from (select ${sql.literal(columns)} from ${name("verification")} v where ${condition}) found
)`
