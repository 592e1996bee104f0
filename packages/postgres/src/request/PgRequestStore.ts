import type { PgClient } from "@effect/sql-pg/PgClient"
import { Environment } from "@surety/core/Environment"
import { toUuid } from "@surety/core/Ids"
import type { RequestEntry } from "@surety/core/request/RequestEntry"
import { lastUseStep, RequestStore } from "@surety/core/request/RequestStore"
import { DateTime, Duration, Effect, Layer, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"
import * as Database from "../sql/Database.js"
import * as JsonRow from "../sql/JsonRow.js"
import { cursorCodec, pageOfRows } from "../sql/listCursor.js"

/** One element of the JSON argument of the SQL function `append_requests`. */
const EntryInput = Schema.Struct({
  merchant_id: JsonRow.uuid,
  environment: Schema.String,
  api_key_id: JsonRow.uuid,
  key_last4: Schema.String,
  method: Schema.String,
  route: Schema.UndefinedOr(Schema.String),
  status: Schema.Int,
  code: Schema.UndefinedOr(Schema.String),
  request_id: Schema.String,
  at: JsonRow.time
})

const entriesText = JsonRow.jsonText(Schema.Array(EntryInput))

const entryInput = (entry: RequestEntry): typeof EntryInput.Type => ({
  merchant_id: entry.merchantId,
  environment: entry.environment,
  api_key_id: entry.apiKeyId,
  key_last4: entry.keyLast4,
  method: entry.method,
  route: entry.route,
  status: entry.status,
  code: entry.code,
  request_id: entry.requestId,
  at: entry.at
})

const EntryRow = Schema.Struct({
  id: Schema.BigInt,
  merchantId: Column.merchantId,
  environment: Environment,
  apiKeyId: Column.apiKeyId,
  keyLast4: Schema.String,
  method: Schema.String,
  route: Column.nullable(Schema.String),
  status: Schema.Int,
  code: Column.nullable(Schema.String),
  requestId: Schema.String,
  at: Column.time
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

const columns = `r.id, r.merchant_id as "merchantId", r.environment, r.api_key_id as "apiKeyId",
  r.key_last4 as "keyLast4", r.method, r.route, r.status, r.code, r.request_id as "requestId", r.at`

const cursors = cursorCodec(
  Schema.Tuple([Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))])
)

/** A crash of the database empties the log. */
export const layer: Layer.Layer<RequestStore, never, PgClient> = Layer.effect(
  RequestStore,
  Effect.gen(function* () {
    const { environmentIs, name, sql, verb } = yield* Database.make
    const entries = name("request_entry")

    const append = Effect.fn("PgRequestStore.append")(function* (appended: ReadonlyArray<RequestEntry>) {
      yield* sql`
        select ${name("append_requests")}(
          ${entriesText(appended.map(entryInput))}::json, ${Duration.toMillis(lastUseStep)}::integer
        )`
    }, verb("RequestStore.append"))

    const list: RequestStore["Service"]["list"] = Effect.fn("PgRequestStore.list")(function* (scope, filter, page) {
      const found = yield* pageOfRows(
        page,
        cursors,
        ({ id }: typeof EntryRow.Type) => [Number(id)] as const,
        (after, limit) =>
          Effect.flatMap(
            sql`
              select ${sql.literal(columns)} from ${entries} r
              where r.merchant_id = ${toUuid(scope.merchantId)} and ${environmentIs("r", scope.environment)}
              ${filter.status === undefined ? sql`` : sql`and r.status = ${filter.status}`}
              ${filter.route === undefined ? sql`` : sql`and r.route = ${filter.route}`}
              ${after === undefined ? sql`` : sql`and r.id < ${after[0]}`}
              order by r.id desc limit ${limit}`,
            decodeRows
          )
      )
      return { data: found.data.map(({ id: _, ...entry }) => entry), nextCursor: found.nextCursor }
    }, verb("RequestStore.list"))

    const forget = Effect.fn("PgRequestStore.forget")(function* (before: DateTime.Utc, limit: number) {
      const rows = yield* sql`
        with old as materialized (
          select o.id, o.at from ${entries} o where o.at < ${DateTime.toDate(before)} order by o.at limit ${limit}
        )
        delete from ${entries} r
        where r.at <= (select max(o.at) from old o) and r.id = any (array(select o.id from old o))
        returning 1`
      return rows.length
    }, verb("RequestStore.forget"))

    return RequestStore.of({ append, list, forget })
  })
)
