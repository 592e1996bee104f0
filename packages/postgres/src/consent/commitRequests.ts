import type { Grant } from "@surety/core/consent/grant/Grant"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { DataRequestPlan, RepeatPlan } from "@surety/core/consent/request/decideDataRequest"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { areStillActive, type Commit, consequencesOf, isUnrestricted } from "./commitConsents.js"
import { durationDays } from "./DataRequestRow.js"

const requestRow = JsonRow.tableRow("data_request", {
  id: JsonRow.uuid,
  merchant_id: JsonRow.uuid,
  environment: Schema.String,
  user_id: Schema.String,
  service_id: Schema.String,
  requested_fields: Schema.Array(Schema.String),
  purpose: Schema.String,
  status: Schema.String,
  approved_fields: Schema.UndefinedOr(Schema.Array(Schema.String)),
  created_at: JsonRow.time,
  expires_at: JsonRow.time,
  decided_at: Schema.UndefinedOr(JsonRow.time),
  answer: Schema.String,
  token_hash: Schema.UndefinedOr(Schema.String),
  link_key_id: Schema.UndefinedOr(Schema.String),
  link_sealed: Schema.UndefinedOr(JsonRow.bytes),
  notify_at: Schema.UndefinedOr(JsonRow.time),
  duration_days: Schema.UndefinedOr(Schema.Int),
  return_url: Schema.UndefinedOr(Schema.String),
  return_state: Schema.UndefinedOr(Schema.String)
})

/**
 * Builds SQL that selects one row if `stands` holds. For a request with a link, it also creates the `asking` row of
 * merchant and person, or increments its version. If the row's version is no longer `version`, or the person is
 * restricted or erased, it changes nothing and selects no row. A request without a link asks no one and needs no
 * increment.
 */
const turnOf = (
  database: Database,
  { link, request: { environment, merchantId, userId } }: DataRequestPlan,
  version: bigint | undefined,
  stands: Fragment
): Fragment => {
  const { name, sql } = database
  return link === undefined
    ? sql`select 1 where ${stands}`
    : sql`
      insert into ${name("asking")} as a (merchant_id, environment, user_id, version)
      select ${toUuid(merchantId)}::uuid, ${environment}::text, ${userId}::text, 1
      where ${stands} and ${isUnrestricted(database, { environment, userId })}
      on conflict (user_id, merchant_id, environment) do update set version = a.version + 1
        where a.version = ${String(version ?? 0n)}::bigint
      returning 1`
}

const keyed = (
  { name, sql }: Database,
  { environment, id, merchantId }: DataRequest,
  { fingerprint, idempotencyKey }: Pick<DataRequestPlan, "fingerprint" | "idempotencyKey">,
  keptSince: DateTime.Utc,
  after: Fragment
): Fragment => sql`
      insert into ${name("data_request_key")} (
        merchant_id, environment, idempotency_key, data_request_id, fingerprint, kept_since
      )
      select ${toUuid(merchantId)}::uuid, ${environment}::text, ${idempotencyKey}::text, ${toUuid(id)}::uuid,
        ${fingerprint}::text, ${DateTime.toDate(keptSince)}::timestamptz
      from ${after}
      on conflict (idempotency_key, merchant_id, environment) do nothing
      returning 1`

/**
 * Builds SQL that commits a new request if its key is free and the loaded active grants are still active. A request
 * with a link also requires that `version` is current and that the person is neither restricted nor erased.
 */
export const commitRequest = (
  database: Database,
  plan: DataRequestPlan,
  grants: ReadonlyArray<Grant>,
  version: bigint | undefined
): Commit => {
  const { sql } = database
  const { answer, link, notifyAt, request } = plan
  return sql`
    with turn as (${turnOf(database, plan, version, areStillActive(database, grants))}),
    keyed as (${keyed(database, request, plan, request.createdAt, sql.literal("turn"))}),
    stored as (
      ${requestRow.insertWhen(
        database,
        {
          id: request.id,
          merchant_id: request.merchantId,
          environment: request.environment,
          user_id: request.userId,
          service_id: request.serviceId,
          requested_fields: request.requestedFields,
          purpose: request.purpose,
          status: request.status,
          approved_fields: request.approvedFields,
          created_at: request.createdAt,
          expires_at: request.expiresAt,
          decided_at: request.decidedAt,
          answer,
          token_hash: link?.tokenHash,
          link_key_id: link?.sealedUrl.keyId,
          link_sealed: link?.sealedUrl.bytes,
          notify_at: notifyAt,
          duration_days: request.duration === undefined ? undefined : durationDays(request.duration),
          return_url: request.returnUrl,
          return_state: request.state
        },
        sql.literal("keyed")
      )}
      returning 1
    )${consequencesOf(database, undefined, [])}`
}

/**
 * Builds SQL that commits an additional key for a request that is still pending, if the key is free. A repeat with a
 * return url also replaces the request's return url and state.
 */
export const commitRepeat = (database: Database, plan: RepeatPlan): Commit => {
  const { name, sql } = database
  const { request } = plan.open
  const { returnTo } = plan
  const pending = sql`(
        select 1 from ${name("data_request")} r
        where r.id = ${toUuid(request.id)} and r.merchant_id = ${toUuid(request.merchantId)}
          and r.environment = ${request.environment} and r.status = 'PENDING'
      ) pending`
  return sql`
    with stored as (${keyed(database, request, plan, plan.repeatedAt, pending)})${
      returnTo === undefined
        ? sql.literal("")
        : sql`, led as (
      update ${name("data_request")} r set return_url = ${returnTo.url}, return_state = ${returnTo.state ?? null}
      where r.id = ${toUuid(request.id)} and r.merchant_id = ${toUuid(request.merchantId)}
        and r.environment = ${request.environment} and r.status = 'PENDING' and exists (select 1 from stored)
    )`
    }${consequencesOf(database, undefined, [])}`
}
