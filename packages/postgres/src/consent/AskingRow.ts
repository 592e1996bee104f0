import { type AskingBlock, AskingBlockReason } from "@surety/core/consent/asking/AskingBlock"
import { askDay } from "@surety/core/consent/asking/AskLimits"
import type { AskingHistory } from "@surety/core/consent/asking/decideAsk"
import type { DataRequestLookup } from "@surety/core/consent/ConsentStore"
import { defaultPurposeEnding } from "@surety/core/consent/grant/ConsentPolicy"
import type { OpenDataRequest } from "@surety/core/consent/request/decideDataRequest"
import { Environment } from "@surety/core/Environment"
import { toUuid, UserId } from "@surety/core/Ids"
import { DateTime, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import * as PgArray from "../sql/PgArray.js"
import * as DataRequestRow from "./DataRequestRow.js"

/**
 * A row of `historyColumns`: a merchant's earlier requests to a person, and their `asking` row's version and last
 * block. `isBounded` is true if the limits on asking apply.
 */
export const HistoryRow = Schema.Struct({
  version: Column.nullable(Schema.BigInt),
  isBounded: Schema.Boolean,
  open: Schema.Unknown,
  openUntil: Schema.Array(Column.jsonTime),
  madeAt: Schema.Array(Column.jsonTime),
  deniedAt: Column.nullable(Column.time),
  blockReason: Column.nullable(AskingBlockReason),
  blockRequestId: Column.nullable(Column.dataRequestId),
  blockedAt: Column.nullable(Column.time),
  liftedAt: Column.nullable(Column.time)
})

const BlockRow = Schema.Struct({
  merchantId: Column.merchantId,
  environment: Environment,
  userId: UserId,
  serviceId: Column.consumerId,
  reason: AskingBlockReason,
  dataRequestId: Column.dataRequestId,
  blockedAt: Column.time,
  liftedAt: Column.nullable(Column.time)
})

/** Columns of a block `a` by a person `c`. */
export const blockColumns = `a.merchant_id as "merchantId", a.environment, a.user_id as "userId",
  c.service_id as "serviceId", a.block_reason as reason, a.block_request_id as "dataRequestId",
  a.blocked_at as "blockedAt", a.lifted_at as "liftedAt"`

export const decodeBlocks: (
  rows: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<AskingBlock>, Schema.SchemaError> = Schema.decodeUnknownEffect(Schema.Array(BlockRow))

/**
 * Builds the columns of a `HistoryRow` for a merchant `m`, a person `c` and their `asking` row `a`. `c` and `a` may be
 * missing.
 *
 * `offset 0` keeps the search for an open request from reading in id order. Otherwise, a plan cached while the table is
 * small would read everyone's pending requests in that order.
 */
export const historyColumns = (
  database: Database,
  { duration, now, purpose, requestedFields, scope: { environment, merchantId } }: DataRequestLookup
): Fragment => {
  const { name, sql } = database
  const at = DateTime.toDate(now)
  const bounded = environment === "LIVE" ? sql.literal("true") : sql.literal("coalesce(c.ask_limits, false)")
  const theirs = sql`r.user_id = c.id and r.merchant_id = ${toUuid(merchantId)} and r.environment = ${environment}`
  const fields = PgArray.texts(requestedFields)
  const same = sql`r.purpose = coalesce(${purpose ?? null}::text, m.purpose, m.name || ${defaultPurposeEnding}::text)
        and r.requested_fields @> ${fields} and r.requested_fields <@ ${fields}`
  const times = (select: Fragment) =>
    sql`case when ${bounded} then (select coalesce(jsonb_agg(found.at), '[]') from (${select}) found) else '[]' end`
  const requests = name("data_request")
  return sql`a.version, ${bounded} as "isBounded",
        (
          select jsonb_build_object('request', to_jsonb(found), 'answer', found.answer,
            'linkKeyId', found.link_key_id, 'linkSealed', encode(found.link_sealed, 'hex'))
          from (
            select pending.* from (
              select ${DataRequestRow.columnsOf(database)}, r.answer, r.link_key_id, r.link_sealed from ${requests} r
              where ${theirs} and r.status = 'PENDING' and r.expires_at > ${at} and ${same}
                and r.duration_days is not distinct from ${duration === undefined ? null : DataRequestRow.durationDays(duration)}::integer
              offset 0
            ) pending
            order by pending.id limit 1
          ) found
        ) as open,
        ${times(sql`select r.expires_at as at from ${requests} r
          where ${theirs} and r.status = 'PENDING' and r.expires_at > ${at}`)} as "openUntil",
        ${times(sql`select r.created_at as at from ${requests} r
          where ${theirs} and r.created_at > ${DateTime.toDate(DateTime.subtractDuration(now, askDay))}
            and (r.status <> 'APPROVED' or r.decided_by_kind is not null)`)} as "madeAt",
        case when ${bounded} then (
          select r.decided_at from ${requests} r where ${theirs} and r.status = 'DENIED' and ${same}
          order by r.decided_at desc limit 1
        ) end as "deniedAt",
        a.block_reason as "blockReason", a.block_request_id as "blockRequestId", a.blocked_at as "blockedAt",
        a.lifted_at as "liftedAt"`
}

const OpenColumn = Schema.Struct({
  request: Schema.Unknown,
  answer: Schema.String,
  linkKeyId: Schema.String,
  linkSealed: Schema.Uint8ArrayFromHex
})

const decodeOpen = Schema.decodeUnknownEffect(Schema.NullOr(OpenColumn))

/** Decodes the open data request, with its sealed link. Undefined if the column is null. */
export const openOf = Effect.fnUntraced(function* (column: unknown) {
  const open = yield* decodeOpen(column)
  if (open === null) return undefined
  const [request] = yield* DataRequestRow.decodeJson([open.request])
  const { answer, linkKeyId, linkSealed } = open
  const question: OpenDataRequest | undefined = request && {
    request,
    answer,
    sealedUrl: { keyId: linkKeyId, bytes: linkSealed }
  }
  return question
})

const blockOf = (
  { scope, serviceId }: Pick<DataRequestLookup, "scope" | "serviceId">,
  userId: UserId,
  { blockReason, blockRequestId, blockedAt, liftedAt }: typeof HistoryRow.Type
): AskingBlock | undefined =>
  blockReason === undefined || blockRequestId === undefined || blockedAt === undefined
    ? undefined
    : {
        merchantId: scope.merchantId,
        environment: scope.environment,
        userId,
        serviceId,
        reason: blockReason,
        dataRequestId: blockRequestId,
        blockedAt,
        ...(liftedAt === undefined ? {} : { liftedAt })
      }

export const historyOf = (lookup: DataRequestLookup, userId: UserId, row: typeof HistoryRow.Type): AskingHistory => ({
  block: blockOf(lookup, userId, row),
  openUntil: row.openUntil,
  madeAt: row.madeAt,
  deniedAt: row.deniedAt
})
