import { type AskingBlockReason, stopsConsent } from "@surety/core/consent/asking/AskingBlock"
import type { ConsentActor } from "@surety/core/consent/ConsentActor"
import type { GrantEndPlan, GrantPlan } from "@surety/core/consent/grant/decideGrant"
import { type Grant, GrantOrigin, GrantStatus } from "@surety/core/consent/grant/Grant"
import type { ManagementLink } from "@surety/core/consent/link/ManagementLink"
import type { ReceiptDraft } from "@surety/core/consent/receipt/Receipt"
import { genesis } from "@surety/core/consent/receipt/ReceiptChain"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { ConsentPlan } from "@surety/core/consent/request/decideConsent"
import { Environment } from "@surety/core/Environment"
import type { OutboxEvent } from "@surety/core/event/PlatformEvent"
import { type EventId, type MerchantId, toUuid } from "@surety/core/Ids"
import { openStatuses } from "@surety/core/merchant/Merchant"
import { DateTime, Schema } from "effect"
import type { Fragment, Statement } from "effect/sql/Statement"
import { outcomeWith } from "../event/appendEvents.js"
import type { Database } from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import * as PgArray from "../sql/PgArray.js"
import * as Actor from "./ConsentActorColumns.js"
import { blocking } from "./commitBlock.js"
import { isStopped } from "./DataRequestRow.js"

/** A statement that stores a complete plan if its conditions still hold. Its row shows whether the plan was stored. */
export type Commit = Statement<unknown>

export const dateOf = (at: DateTime.Utc | undefined): Date | null => (at === undefined ? null : DateTime.toDate(at))

const uuidOf = (id: string | undefined): string | null => (id === undefined ? null : toUuid(id))

const granted = "merchant.identity.consent_granted"

/**
 * Builds common table expressions that append a draft to its chain if `stored` has a row.
 *
 * The end of the chain is one row, locked until the commit. The next transaction that appends waits and continues from
 * the committed end.
 */
const appendReceipt = (
  { name, sql }: Database,
  { body, environment, id, merchantId, userId }: ReceiptDraft
): Fragment => {
  const hash = name("receipt_hash")
  return sql`,
  chain_end as (
    insert into ${name("receipt_chain_end")} as e (merchant_id, environment, sequence, previous_hash, hash)
    select ${toUuid(merchantId)}::uuid, ${environment}::text, ${genesis.sequence + 1}::bigint, ${genesis.hash}::text,
      ${hash}(${genesis.hash}::text, ${body}::text)
    from stored
    on conflict (merchant_id, environment) do update
      set sequence = e.sequence + 1, previous_hash = e.hash, hash = ${hash}(e.hash, ${body}::text)
    returning merchant_id, environment, sequence, previous_hash, hash
  ),
  receipt as (
    insert into ${name("consent_receipt")} (
      id, merchant_id, environment, user_id, sequence, body, previous_hash, hash
    )
    select ${toUuid(id)}::uuid, e.merchant_id, e.environment, ${userId}::text, e.sequence, ${body}::text,
      e.previous_hash, e.hash
    from chain_end e
  )`
}

/** Builds the end of a statement, like `outcomeWith`. Also appends `receipt`, if given, when `stored` has a row. */
export const consequencesOf = (
  database: Database,
  receipt: ReceiptDraft | undefined,
  events: ReadonlyArray<OutboxEvent>
): Fragment => {
  const { sql } = database
  return sql`${receipt === undefined ? sql.literal("") : appendReceipt(database, receipt)}${outcomeWith(database, events)}`
}

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

/** Builds the condition that a person is neither restricted nor erased, so that their details may be processed. */
export const isUnrestricted = (
  { name, sql }: Database,
  { environment, userId }: Pick<Grant, "environment" | "userId">
): Fragment => sql`exists (
    select 1 from ${name("consumer")} c
    where c.environment = ${environment} and c.id = ${userId} and c.restricted_at is null
  )`

const grantRow = JsonRow.tableRow("consent_grant", {
  id: JsonRow.uuid,
  merchant_id: JsonRow.uuid,
  environment: Environment,
  user_id: Schema.String,
  service_id: Schema.String,
  fields: Schema.Array(Schema.String),
  purpose: Schema.String,
  origin: GrantOrigin,
  data_request_id: Schema.UndefinedOr(JsonRow.uuid),
  granted_by_kind: Actor.kind,
  granted_by_name: Schema.UndefinedOr(Schema.String),
  status: GrantStatus,
  granted_at: JsonRow.time,
  expires_at: JsonRow.time,
  revoked_at: Schema.UndefinedOr(JsonRow.time),
  revoked_by_kind: Schema.UndefinedOr(Actor.kind),
  revoked_by_name: Schema.UndefinedOr(Schema.String),
  revocation_reason: Schema.UndefinedOr(Schema.String),
  event_id: Schema.UndefinedOr(JsonRow.uuid),
  one_time: Schema.Boolean,
  used_at: Schema.UndefinedOr(JsonRow.time)
})

const insertGrantWhen = (
  database: Database,
  grant: Grant,
  eventId: EventId | undefined,
  when: Fragment
): Fragment => database.sql`
  ${grantRow.insertWhen(
    database,
    {
      id: grant.id,
      merchant_id: grant.merchantId,
      environment: grant.environment,
      user_id: grant.userId,
      service_id: grant.serviceId,
      fields: grant.fields,
      purpose: grant.purpose,
      origin: grant.origin,
      data_request_id: grant.dataRequestId,
      granted_by_kind: grant.grantedBy.kind,
      granted_by_name: grant.grantedBy.name,
      status: grant.status,
      granted_at: grant.grantedAt,
      expires_at: grant.expiresAt,
      revoked_at: grant.revokedAt,
      revoked_by_kind: grant.revokedBy?.kind,
      revoked_by_name: grant.revokedBy?.name,
      revocation_reason: grant.revocationReason,
      event_id: eventId,
      one_time: grant.oneTime === true,
      used_at: grant.usedAt
    },
    when
  )}
  returning 1`

/** Builds SQL that stores a management link if `after` has a row. A no-op if a link with the same token exists. */
export const insertLinkWhen = ({ name, sql }: Database, link: ManagementLink, after: Fragment): Fragment => sql`
      insert into ${name("management_link")} (
        token_hash, environment, user_id, service_id, merchant_id, data_request_id, created_at, expires_at
      )
      select ${link.tokenHash}::text, ${link.environment}::text, ${link.userId}::text, ${link.serviceId}::text,
        ${link.merchantId === undefined ? null : toUuid(link.merchantId)}::uuid,
        ${link.dataRequestId === undefined ? null : toUuid(link.dataRequestId)}::uuid,
        ${DateTime.toDate(link.createdAt)}::timestamptz, ${DateTime.toDate(link.expiresAt)}::timestamptz
      from ${after}
      on conflict (token_hash) do nothing`

const reasons = ["NOT_ME", "STOP_ASKING"] as const satisfies ReadonlyArray<AskingBlockReason>

const stopsActor = ({ sql }: Database, actor: ConsentActor): Fragment =>
  sql`a.block_reason = any (${PgArray.texts(reasons.filter((reason) => stopsConsent(reason, actor)))})`

/**
 * Builds the common table expression `receiver`, which holds the merchant's status. Its shared lock waits for a
 * concurrent status change, so that the new status is read.
 */
const receiver = ({ name, sql }: Database, merchantId: MerchantId): Fragment => sql`receiver as materialized (
      select m.status from ${name("merchant")} m where m.id = ${toUuid(merchantId)} for share of m
    )`

/** Builds the condition that the `receiver` may receive consents: its status is neither REJECTED nor CLOSED. */
const mayReceive = ({ sql }: Database): Fragment =>
  sql`exists (select 1 from receiver where receiver.status = any (${PgArray.texts(openStatuses)}))`

/**
 * Builds SQL that locks the `asking` row of a merchant and a person until the commit. It selects whether a block
 * `stops` the approval of a request made at `askedAt`. For a grant without a request, `askedAt` is null. Without
 * `approval`, `stops` is false. A denial with a block locks this row first too, so the later of two decisions waits
 * instead of deadlocking. A pending request always has this row, because `commitRequest` creates a missing one.
 */
const heldAsking = (
  database: Database,
  { environment, merchantId, userId }: Pick<Grant, "environment" | "merchantId" | "userId">,
  approval: { readonly by: ConsentActor; readonly askedAt: Date | null } | undefined
): Fragment => {
  const { name, sql } = database
  const stops =
    approval === undefined
      ? sql.literal("false")
      : sql`coalesce(${isStopped(database, sql`${approval.askedAt}::timestamptz`)} and ${stopsActor(database, approval.by)}, false)`
  return sql`select ${stops} as stops from ${name("asking")} a
      where a.user_id = ${userId} and a.merchant_id = ${toUuid(merchantId)} and a.environment = ${environment}
      for no key update of a`
}

/**
 * Builds SQL that locks the `asking` row for a grant without a request. It creates a missing row. It returns no row if
 * a block stops the grant or the merchant (`receiver`) may not receive it.
 *
 * If `held` is empty but another transaction has just created the row, any block in force stops the grant. Version 0 in
 * the proposed row marks this case, because Citus does not run queries in `on conflict` conditions.
 */
const freeAsking = (
  database: Database,
  { environment, merchantId, userId }: Pick<Grant, "environment" | "merchantId" | "userId">
): Fragment => {
  const { name, sql } = database
  return sql`
      insert into ${name("asking")} as a (merchant_id, environment, user_id, version)
      select ${toUuid(merchantId)}::uuid, ${environment}::text, ${userId}::text, (select count(*) from held)
      where ${mayReceive(database)} and (select count(*) from held where held.stops) = 0
      on conflict (user_id, merchant_id, environment) do update set version = a.version
        where a.blocked_at is null or a.lifted_at is not null or excluded.version = 1
      returning 1`
}

const textsOf = (values: ReadonlyArray<string> | undefined) => (values === undefined ? null : PgArray.texts(values))

/**
 * Builds SQL that settles a request with its grant, receipt, block, management link and events, if the request is still
 * pending. A grant requires a merchant that may receive it, and no block that stops it.
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
        : sql`, granted as (${insertGrantWhen(database, grant, grantedEvent?.id, sql.literal("stored"))})`
    }${block === undefined ? sql.literal("") : sql`, blocked as (${blocking(database, block)})`}${
      managementLink === undefined
        ? sql.literal("")
        : sql`, linked as (${insertLinkWhen(database, managementLink, sql.literal("stored"))})`
    }${consequencesOf(database, receipt, [...events, ...platformEvents])}`
}

/**
 * Builds SQL that commits a grant without a request, with its receipt and event. Stores nothing if a block stops the
 * grant or the merchant may not receive it.
 */
export const commitGrant = (database: Database, { event, grant, receipt }: GrantPlan): Commit => {
  const { sql } = database
  return sql`
    with ${receiver(database, grant.merchantId)},
    held as materialized (${heldAsking(database, grant, { by: grant.grantedBy, askedAt: null })}),
    free as (${freeAsking(database, grant)}),
    stored as (
      ${insertGrantWhen(database, grant, event.id, sql.literal("free"))}
    )${consequencesOf(database, receipt, [event])}`
}

/** Builds SQL that ends a grant, with a receipt and an event, if the grant is still active. */
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
