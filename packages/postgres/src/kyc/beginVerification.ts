import { decideUntilCommitted } from "@surety/core/decideUntilCommitted"
import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { toUuid, UserId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import type { KycStore, VerificationLookup } from "@surety/core/kyc/KycStore"
import type {
  NamedPerson,
  VerificationPlan,
  VerificationSnapshot
} from "@surety/core/kyc/verification/decideVerification"
import { isVerificationOpen } from "@surety/core/kyc/verification/Verification"
import { firstFence } from "@surety/core/Lease"
import { Effect, Schema } from "effect"
import { consequencesOf } from "../consent/commitConsents.js"
import * as DataRequestRow from "../consent/DataRequestRow.js"
import { isLinked } from "../consumer/isLinked.js"
import { storing } from "../event/appendEvents.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"

/**
 * The merchant, any verification stored under the key, and the people found by user id and by service id. The ids of a
 * missing verification or person are null.
 */
const SnapshotRow = Schema.Struct({
  controller: DataRequestRow.ControllerColumn,
  ownPurpose: Column.nullable(Schema.String),
  priorId: Column.nullable(Column.verificationId),
  priorFingerprint: Column.nullable(Fingerprint),
  priorAnswer: Column.nullable(Schema.String),
  userUserId: Column.nullable(UserId),
  userServiceId: Column.nullable(Column.consumerId),
  userLinked: Schema.Boolean,
  serviceUserId: Column.nullable(UserId),
  serviceServiceId: Column.nullable(Column.consumerId),
  serviceLinked: Schema.Boolean
})

const verificationRow = JsonRow.tableRow("verification", {
  id: JsonRow.uuid,
  merchant_id: JsonRow.uuid,
  environment: Schema.String,
  user_id: Schema.String,
  service_id: Schema.String,
  kind: Schema.String,
  id_hash: Schema.String,
  id_last4: Schema.String,
  tier: Schema.UndefinedOr(Schema.String),
  consent_method: Schema.String,
  status: Schema.String,
  first_name_result: Schema.String,
  last_name_result: Schema.String,
  date_of_birth_result: Schema.String,
  selfie_result: Schema.String,
  failure_reason: Schema.UndefinedOr(Schema.String),
  provider: Schema.UndefinedOr(Schema.String),
  provider_reference: Schema.UndefinedOr(Schema.String),
  created_at: JsonRow.time,
  completed_at: Schema.UndefinedOr(JsonRow.time),
  idempotency_key: Schema.String,
  fingerprint: Schema.String,
  answer: Schema.UndefinedOr(Schema.String),
  fence: Schema.Int,
  looks: Schema.Int,
  due_at: Schema.UndefinedOr(JsonRow.time),
  leased_until: Schema.UndefinedOr(JsonRow.time),
  event_id: Schema.UndefinedOr(JsonRow.uuid)
})

const decodeSnapshots = Schema.decodeUnknownEffect(Schema.Tuple([SnapshotRow]))

const personOf = (
  userId: NamedPerson["userId"] | undefined,
  serviceId: NamedPerson["serviceId"] | undefined,
  linked: boolean
): NamedPerson | undefined =>
  userId === undefined || serviceId === undefined ? undefined : { userId, serviceId, isLinked: linked }

const snapshotOf = (row: typeof SnapshotRow.Type): VerificationSnapshot => ({
  controller: row.controller,
  ownPurpose: row.ownPurpose,
  prior:
    row.priorId === undefined || row.priorFingerprint === undefined
      ? undefined
      : { verificationId: row.priorId, fingerprint: row.priorFingerprint, answer: row.priorAnswer },
  byUserId: personOf(row.userUserId, row.userServiceId, row.userLinked),
  byServiceId: personOf(row.serviceUserId, row.serviceServiceId, row.serviceLinked)
})

/**
 * Implements `KycStore.begin`. One statement reads a snapshot. To execute a plan, a second one stores the verification
 * with its receipt, and its event if any. If nothing is stored, the operation restarts with a new snapshot.
 */
export const make = (database: Database, signal: DeliverySignal["Service"]): KycStore["Service"]["begin"] => {
  const { name, sql, verb } = database
  const consumers = name("consumer")
  const verifications = name("verification")

  const load = Effect.fnUntraced(function* ({ idempotencyKey, scope, serviceId, userId }: VerificationLookup) {
    const { environment, merchantId } = scope
    const rows = yield* sql`
      select ${sql.literal(DataRequestRow.partyColumns)}, prior.id as "priorId",
        prior.fingerprint as "priorFingerprint", prior.answer as "priorAnswer",
        u.id as "userUserId", u.service_id as "userServiceId",
        ${isLinked(database, scope, sql.literal("u.id"))} as "userLinked",
        s.id as "serviceUserId", s.service_id as "serviceServiceId",
        ${isLinked(database, scope, sql.literal("s.id"))} as "serviceLinked"
      from ${name("merchant")} m
      left join ${verifications} prior
        on prior.idempotency_key = ${idempotencyKey} and prior.merchant_id = m.id
        and prior.environment = ${environment}
      left join ${consumers} u on u.id = ${userId ?? null}::text and u.environment = ${environment}
      left join ${consumers} s on s.service_id = ${serviceId ?? null}::text and s.environment = ${environment}
      where m.id = ${toUuid(merchantId)}`
    const [row] = yield* decodeSnapshots(rows)
    return snapshotOf(row)
  })

  /**
   * Commits the plan. Returns false and stores nothing if the key is in use or the merchant may not refer to the
   * person. The person is locked before the receipt chain, in the same order as an erasure.
   */
  const commit = Effect.fnUntraced(function* (plan: VerificationPlan) {
    const { verification: v } = plan
    const statement = sql`
      with person as materialized (
        select 1 from ${consumers} c
        where c.id = ${v.userId} and c.environment = ${v.environment} and ${isLinked(database, v, v.userId)}
        for key share of c
      ),
      stored as (
        ${verificationRow.insertWhen(
          database,
          {
            id: v.id,
            merchant_id: v.merchantId,
            environment: v.environment,
            user_id: v.userId,
            service_id: v.serviceId,
            kind: v.kind,
            id_hash: v.idHash,
            id_last4: v.idLast4,
            tier: v.tier,
            consent_method: v.method,
            status: v.status,
            first_name_result: v.checks.first_name,
            last_name_result: v.checks.last_name,
            date_of_birth_result: v.checks.date_of_birth,
            selfie_result: v.checks.selfie,
            failure_reason: v.failureReason,
            provider: v.provider,
            provider_reference: v.providerReference,
            created_at: v.createdAt,
            completed_at: v.completedAt,
            idempotency_key: plan.idempotencyKey,
            fingerprint: plan.fingerprint,
            answer: plan.answer,
            fence: firstFence,
            looks: 0,
            due_at: isVerificationOpen(v.status) ? v.createdAt : undefined,
            leased_until: plan.leasedUntil,
            event_id: plan.event?.id
          },
          sql.literal("person")
        )}
        on conflict (idempotency_key, merchant_id, environment) where idempotency_key is not null do nothing
        returning 1
      )${consequencesOf(database, plan.receipt, plan.event === undefined ? [] : [plan.event])}`
    return yield* storing(database, signal, statement)
  })

  return Effect.fn("PgKycStore.begin")(
    (lookup, decide) =>
      decideUntilCommitted({
        load: load(lookup),
        decide: (snapshot) => Effect.succeed(decide(snapshot)),
        commit: (decision) => (decision._tag === "Execute" ? commit(decision.plan) : Effect.succeed(true))
      }),
    verb("KycStore.begin")
  )
}
