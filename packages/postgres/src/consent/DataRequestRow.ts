import { AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import type { LinkedDataRequest } from "@surety/core/consent/ConsentLog"
import { GrantDuration } from "@surety/core/consent/grant/GrantDuration"
import { Controller } from "@surety/core/consent/receipt/Receipt"
import { type DataRequest, DataRequestStatus, DenialReason } from "@surety/core/consent/request/DataRequest"
import { IdentityField } from "@surety/core/consumer/IdentityField"
import { Environment } from "@surety/core/Environment"
import { UserId } from "@surety/core/Ids"
import { MerchantStatus } from "@surety/core/merchant/Merchant"
import type { SealedSecret } from "@surety/core/secret/Keyring"
import { type DateTime, Effect, Schema, SchemaTransformation } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import { soundRows } from "../sql/soundRows.js"
import * as Actor from "./ConsentActorColumns.js"

/** `duration_days`: whole days, or 0 for one read. */
const duration = Schema.Int.pipe(
  Schema.decodeTo(
    GrantDuration,
    SchemaTransformation.transform<typeof GrantDuration.Encoded, number>({
      decode: (days) => (days === 0 ? "ONE_TIME" : days),
      encode: (lasts) => (lasts === "ONE_TIME" ? 0 : lasts)
    })
  )
)

export const durationDays = Schema.encodeSync(duration)

const rowWith = <E>(time: Schema.Codec<DateTime.Utc, E>) =>
  Schema.Struct({
    id: Column.dataRequestId,
    merchantId: Column.merchantId,
    environment: Environment,
    userId: UserId,
    serviceId: Column.consumerId,
    requestedFields: Schema.Array(IdentityField),
    purpose: Schema.String,
    duration: Column.nullable(duration),
    returnUrl: Column.nullable(Schema.String),
    state: Column.nullable(Schema.String),
    status: DataRequestStatus,
    approvedFields: Column.nullable(Schema.Array(IdentityField)),
    grantId: Column.nullable(Column.grantId),
    denialReason: Column.nullable(DenialReason),
    decidedByKind: Column.nullable(Actor.kind),
    decidedByName: Actor.name,
    createdAt: time,
    expiresAt: time,
    decidedAt: Column.nullable(time)
  })

const DataRequestRow = rowWith(Column.time)

const JsonDataRequestRow = rowWith(Column.jsonTime)

export const columnsOf = ({ nameText, sql }: Database): Fragment =>
  sql.literal(`r.id, r.merchant_id as "merchantId", r.environment, r.user_id as "userId", r.service_id as "serviceId",
  r.requested_fields as "requestedFields", r.purpose, r.duration_days as duration,
  r.return_url as "returnUrl", r.return_state as state, r.status, r.approved_fields as "approvedFields",
  (
    select g.id from ${nameText("consent_grant")} g
    where g.data_request_id = r.id and g.merchant_id = r.merchant_id and g.environment = r.environment
  ) as "grantId",
  r.denial_reason as "denialReason", r.decided_by_kind as "decidedByKind", r.decided_by_name as "decidedByName",
  r.created_at as "createdAt", r.expires_at as "expiresAt", r.decided_at as "decidedAt"`)

const requestOf = ({ decidedByKind, decidedByName, ...row }: typeof DataRequestRow.Type): DataRequest => ({
  ...row,
  ...(decidedByKind === undefined ? {} : { decidedBy: Actor.actorOf(decidedByKind, decidedByName) })
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(DataRequestRow))
const decodeJsonRows = Schema.decodeUnknownEffect(Schema.Array(JsonDataRequestRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<DataRequest>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(requestOf))

export const decodeJson = (rows: unknown): Effect.Effect<ReadonlyArray<DataRequest>, Schema.SchemaError> =>
  Effect.map(decodeJsonRows(rows), (decoded) => decoded.map(requestOf))

/** Builds SQL that selects the requests `r` that match `condition`, as one JSON value. */
export const jsonOf = (database: Database, condition: Fragment): Fragment => {
  const { name, sql } = database
  return sql`(
  select coalesce(jsonb_agg(to_jsonb(found)), '[]')
  from (select ${columnsOf(database)} from ${name("data_request")} r where ${condition}) found
)`
}

export const controllerColumn = `jsonb_build_object(
    'merchantId', m.id, 'businessCode', m.business_code, 'name', m.name, 'legalName', m.legal_name,
    'country', m.country, 'email', m.support_email, 'url', m.website_url
  ) as controller`

/**
 * Columns of a merchant `m` for a new data request, grant or verification: purpose, return urls and `Controller`. Only
 * a data request uses the return urls.
 */
export const partyColumns = `m.purpose as "ownPurpose", m.return_urls as "returnUrls", ${controllerColumn}`

export const ControllerColumn = Schema.Struct({
  ...Controller.fields,
  merchantId: Column.merchantId,
  email: Column.nullable(Schema.String),
  url: Column.nullable(Schema.String)
})

export const linkColumns = `r.link_key_id as "linkKeyId", r.link_sealed as "linkSealed"`

export const LinkColumns = Schema.Struct({
  linkKeyId: Column.nullable(Schema.String),
  linkSealed: Column.nullable(Schema.Uint8Array)
})

export const sealedUrlOf = ({ linkKeyId, linkSealed }: typeof LinkColumns.Type): SealedSecret | undefined =>
  linkKeyId === undefined || linkSealed === undefined ? undefined : { keyId: linkKeyId, bytes: linkSealed }

const LinkedRow = Schema.Struct({
  ...DataRequestRow.fields,
  ...LinkColumns.fields,
  controller: ControllerColumn,
  merchantStatus: MerchantStatus,
  blockedAs: Column.nullable(AskingBlockReason)
})

/**
 * Builds the condition that a block in the `asking` row `a` stops a request made at `askedAt`. `askedAt` is null for a
 * grant without a request. In TEST without limits on asking, a block stops only earlier requests. The condition may
 * evaluate to null, which means false.
 */
export const isStopped = ({ name, sql }: Database, askedAt: Fragment): Fragment => sql`(
    a.blocked_at is not null and a.lifted_at is null and (
      a.environment = 'LIVE' or a.blocked_at >= ${askedAt} or (
        select c.ask_limits from ${name("consumer")} c where c.environment = a.environment and c.id = a.user_id
      )
    )
  )`

/**
 * Builds the columns for a request `r` by a merchant `m`. They hold the request, its link, and the merchant's
 * `Controller` and status. They also hold the reason for the block that stops the request, if any.
 */
export const linkedColumnsOf = (database: Database): Fragment =>
  database.sql`${columnsOf(database)}, ${database.sql.literal(`${linkColumns}, ${controllerColumn}`)},
    m.status as "merchantStatus", (
      select a.block_reason from ${database.name("asking")} a
      where a.merchant_id = r.merchant_id and a.environment = r.environment and a.user_id = r.user_id
        and ${isStopped(database, database.sql.literal("r.created_at"))}
    ) as "blockedAs"`

const linkedOf = ({
  blockedAs,
  controller,
  linkKeyId,
  linkSealed,
  merchantStatus,
  ...row
}: typeof LinkedRow.Type): LinkedDataRequest => ({
  request: requestOf(row),
  controller,
  merchantStatus,
  blockedAs,
  sealedUrl: sealedUrlOf({
    ...(linkKeyId === undefined ? {} : { linkKeyId }),
    ...(linkSealed === undefined ? {} : { linkSealed })
  })
})

const decodeLinkedRows = Schema.decodeUnknownEffect(Schema.Array(LinkedRow))
const decodeClaimedRows = soundRows(LinkedRow, { operation: "ConsentUpkeep.claimNotifications", id: "id" })

export const decodeLinked = (
  rows: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<LinkedDataRequest>, Schema.SchemaError> =>
  Effect.map(decodeLinkedRows(rows), (decoded) => decoded.map(linkedOf))

/** Decodes claimed requests, and leaves out damaged ones. */
export const decodeClaimed = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<LinkedDataRequest>> =>
  Effect.map(decodeClaimedRows(rows), (decoded) => decoded.map(linkedOf))
