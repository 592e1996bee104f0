import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { GrantEndPlan, GrantPlan } from "@surety/core/consent/grant/decideGrant"
import type { Grant } from "@surety/core/consent/grant/Grant"
import type { ReceiptDraft } from "@surety/core/consent/receipt/Receipt"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { ConsentPlan } from "@surety/core/consent/request/decideConsent"
import type { DataRequestPlan, RepeatPlan } from "@surety/core/consent/request/decideDataRequest"
import type { OutboxEvent } from "@surety/core/event/PlatformEvent"
import { toUuid } from "@surety/core/Ids"
import { DateTime, Schema } from "effect"
import type { Fragment, Statement } from "effect/sql/Statement"
import { outcomeWith } from "../event/appendEvents.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import * as PgArray from "../sql/PgArray.js"
import { appendReceipt } from "./appendReceipt.js"
import { freeAsking, heldAsking, isUnrestricted, mayReceive, receiver } from "./consentConditions.js"
import { durationDays } from "./DataRequestRow.js"
import * as GrantRow from "./GrantRow.js"
import { insertLinkWhen } from "./managementLinks.js"

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

/** Each commit is one statement. It stores the whole plan if the snapshot still holds, and returns whether it did. */
export type Commit = Statement<unknown>

export const dateOf = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

const uuidOf = (id: string | undefined): string | null => (id === undefined ? null : toUuid(id))

const granted = "merchant.identity.consent_granted"

/** The plan's receipt and events once `stored` has a row, and whether it had one. */
export const consequencesOf = (
  database: Database,
  receipt: ReceiptDraft | undefined,
  events: ReadonlyArray<OutboxEvent>
): Fragment => {
  const stored = database.sql.literal("stored")
  return database.sql`${appendReceipt(database, receipt, stored)}${outcomeWith(database, events)}`
}

/** Whether the grants that were active still are. */
export const areStillActive = ({ name, sql }: Database, grants: ReadonlyArray<Grant>): Fragment => {
  const [first, ...others] = grants.filter(({ status }) => status === "ACTIVE")
  if (first === undefined) return sql.literal("true")
  return sql`(
    select count(*) from ${name("consent_grant")} g
    where g.id = any (${PgArray.uuids([first, ...others].map(({ id }) => toUuid(id)))})
      and g.merchant_id = ${toUuid(first.merchantId)} and g.environment = ${first.environment}
      and g.status = 'ACTIVE'
  ) = ${others.length + 1}`
}

/**
 * Increments the version of the merchant's requests to the person, unless it has changed or the person is restricted. A
 * request without a link asks no one and needs no turn.
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

/** Stores a key of a request once `after` has a row, if the key is free. */
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

/** Stores a new request if its key is free, the loaded grants are still active, and the version is still `version`. */
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

/** Stores another key of a request if the request is still pending and the key is free. */
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

/**
 * Blocks a merchant from asking once `stored` has a row. A block in force stays unchanged, but a `NOT_ME` replaces a
 * `STOP_ASKING`.
 */
const blocking = ({ name, sql }: Database, block: AskingBlock): Fragment => sql`
      insert into ${name("asking")} as a (
        merchant_id, environment, user_id, version, block_reason, block_request_id, blocked_at
      )
      select ${toUuid(block.merchantId)}::uuid, ${block.environment}::text, ${block.userId}::text, 1,
        ${block.reason}::text, ${toUuid(block.dataRequestId)}::uuid, ${DateTime.toDate(block.blockedAt)}::timestamptz
      from stored
      on conflict (user_id, merchant_id, environment) do update
        set version = a.version + 1, block_reason = excluded.block_reason,
          block_request_id = excluded.block_request_id, blocked_at = excluded.blocked_at, lifted_at = null
        where a.blocked_at is null or a.lifted_at is not null
          or (a.block_reason = 'STOP_ASKING' and excluded.block_reason = 'NOT_ME')`

/** Blocks a merchant from asking. */
export const commitBlock = (database: Database, block: AskingBlock): Statement<unknown> =>
  database.sql`with stored as (select 1) ${blocking(database, block)}`

/** Lifts a block that is in force, with `reason` only one of that reason. Returns its reason. */
export const commitLift = (
  { name, sql }: Database,
  ...[{ environment, merchantId }, userId, at, reason]: Parameters<ConsentStore["Service"]["liftBlock"]>
): Statement<unknown> => sql`
  update ${name("asking")} a set version = a.version + 1, lifted_at = ${DateTime.toDate(at)}
  where a.user_id = ${userId} and a.merchant_id = ${toUuid(merchantId)} and a.environment = ${environment}
    and a.blocked_at is not null and a.lifted_at is null
    and a.block_reason = coalesce(${reason ?? null}::text, a.block_reason)
  returning a.block_reason as reason`

const textsOf = (values: ReadonlyArray<string> | undefined) => (values === undefined ? null : PgArray.texts(values))

/**
 * Settles the request with its grant, receipt, block and events, if it is still pending. A grant needs a merchant that
 * may get it, and no block that stops it.
 */
export const commitConsent = (
  database: Database,
  pending: DataRequest,
  { block, events, grant, managementLink, platformEvents, receipt, request }: ConsentPlan
): Commit => {
  const { name, sql } = database
  const decidedEvent = events.find(({ topic }) => topic !== granted)
  const grantedEvent = events.find(({ topic }) => topic === granted)
  const approval = grant && { by: grant.grantedBy, askedAt: DateTime.toDate(pending.createdAt) }
  const held =
    grant === undefined && block === undefined
      ? undefined
      : sql`held as materialized (${heldAsking(database, pending, approval)}), `
  return sql`
    with ${held ?? sql.literal("")}${
      grant === undefined ? sql.literal("") : sql`${receiver(database, grant.merchantId)}, `
    }stored as (
      update ${name("data_request")} r
      set status = ${request.status}, approved_fields = ${textsOf(request.approvedFields)}::text[],
        denial_reason = ${request.denialReason ?? null}, decided_by_kind = ${request.decidedBy?.kind ?? null},
        decided_by_name = ${request.decidedBy?.name ?? null}, decided_at = ${dateOf(request.decidedAt)},
        event_id = ${uuidOf(decidedEvent?.id)}, notify_at = null
      where r.id = ${toUuid(pending.id)} and r.merchant_id = ${toUuid(pending.merchantId)}
        and r.environment = ${pending.environment} and r.status = 'PENDING'
        ${held === undefined ? sql.literal("") : sql`and (select count(*) from held where held.stops) = 0`}
        ${grant === undefined ? sql.literal("") : sql`and ${mayReceive(database)}`}
      returning 1
    )${
      grant === undefined
        ? sql.literal("")
        : sql`, granted as (${GrantRow.insertWhen(database, grant, grantedEvent?.id, sql.literal("stored"))})`
    }${block === undefined ? sql.literal("") : sql`, blocked as (${blocking(database, block)})`}${
      managementLink === undefined
        ? sql.literal("")
        : sql`, linked as (${insertLinkWhen(database, managementLink, sql.literal("stored"))})`
    }${consequencesOf(database, receipt, [...events, ...platformEvents])}`
}

/** Stores a grant that has no request, with its receipt and event, if the merchant may get it and no block stops it. */
export const commitGrant = (database: Database, { event, grant, receipt }: GrantPlan): Commit => {
  const { sql } = database
  return sql`
    with ${receiver(database, grant.merchantId)},
    held as materialized (${heldAsking(database, grant, { by: grant.grantedBy, askedAt: null })}),
    free as (${freeAsking(database, grant)}),
    stored as (
      ${GrantRow.insertWhen(database, grant, event.id, sql.literal("free"))}
    )${consequencesOf(database, receipt, [event])}`
}

/** Ends the grant, with a receipt and an event, if it is still active. */
export const commitEnd = (database: Database, active: Grant, { event, grant, receipt }: GrantEndPlan): Commit => {
  const { name, sql } = database
  return sql`
    with stored as (
      update ${name("consent_grant")} g
      set status = ${grant.status}, revoked_at = ${dateOf(grant.revokedAt)},
        revoked_by_kind = ${grant.revokedBy?.kind ?? null}, revoked_by_name = ${grant.revokedBy?.name ?? null},
        revocation_reason = ${grant.revocationReason ?? null}, end_event_id = ${toUuid(event.id)}
      where g.id = ${toUuid(active.id)} and g.merchant_id = ${toUuid(active.merchantId)}
        and g.environment = ${active.environment} and g.status = 'ACTIVE'
      returning 1
    )${consequencesOf(database, receipt, [event])}`
}
