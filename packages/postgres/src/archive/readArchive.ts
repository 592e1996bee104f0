import { DateTime, Effect, Schema } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { Database, InnerError } from "../sql/Database.js"
import { firstUuidAt } from "../sql/listCursor.js"
import { uuids } from "../sql/PgArray.js"
import { type ArchiveMonth, endOf, monthsFrom, startOf } from "./ArchiveMonth.js"
import { archivableTopics, lineOf, TakenTable } from "./archivedRows.js"

/** The row of an event, a delivery or an attempt as a JSON line, with the uuid of its event. */
export const EventLine = Schema.Struct({ eventId: Schema.String, line: Schema.String })
export type EventLine = typeof EventLine.Type

/** Rows of events with their deliveries and attempts, in the order of the events' ids. */
export interface ArchivePage {
  readonly event: ReadonlyArray<EventLine>
  readonly delivery: ReadonlyArray<EventLine>
  readonly delivery_attempt: ReadonlyArray<EventLine>
}

/** Maximum number of ids that `nextIds` returns. */
export const pageSize = 1_000

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ ...EventLine.fields, table: TakenTable })))
const decodeTexts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ line: Schema.String })))

const decodeSpan = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ firstAt: Schema.DateTimeUtcFromDate, settledAt: Schema.DateTimeUtcFromDate }))
)

/** Maximum difference that `mayBeOf` assumes between an event's time and the time in its id. */
const idTolerance = { days: 1 } as const

/**
 * Builds the condition that the event with the id `column` may belong to the month. The time in its id must be at most
 * a day outside the month.
 */
export const mayBeOf = ({ sql }: Database, month: ArchiveMonth, column: string): Fragment => sql`
  ${sql.literal(column)} >= ${firstUuidAt(DateTime.toEpochMillis(DateTime.subtractDuration(startOf(month), idTolerance)))}::uuid
  and ${sql.literal(column)} < ${firstUuidAt(DateTime.toEpochMillis(DateTime.addDuration(endOf(month), idTolerance)))}::uuid`

/**
 * Returns the months from the store's first event on that end at or before `before`, and that have been over for a day
 * by the database's clock.
 */
export const settledMonths = Effect.fnUntraced(function* (
  { name, sql }: Database,
  before: DateTime.Utc
): Effect.fn.Return<ReadonlyArray<ArchiveMonth>, InnerError> {
  const [span] = yield* Effect.flatMap(
    sql`select v.occurred_at as "firstAt", now() - interval '1 day' as "settledAt"
      from ${name("event")} v order by v.id limit 1`,
    decodeSpan
  )
  if (span === undefined) return []
  return monthsFrom(DateTime.subtractDuration(span.firstAt, idTolerance), DateTime.min(before, span.settledAt))
})

/** Builds the condition that the event `v` happened in the month. Searches by id, using the primary key. */
export const happenedIn = (database: Database, month: ArchiveMonth): Fragment => database.sql`
  ${mayBeOf(database, month, "v.id")}
  and v.occurred_at >= ${DateTime.toDate(startOf(month))}::timestamptz
  and v.occurred_at < ${DateTime.toDate(endOf(month))}::timestamptz`

/**
 * Builds the condition that the event `v` may be removed from the store. Every test event (with `test_for`) qualifies.
 * Any other event qualifies if its topic is archivable and it is not the last of its merchant and environment. The last
 * event must stay: it may be a poller's cursor, and the order of events continues after it. Test events do not count as
 * last.
 */
const mayGo = ({ name, sql }: Database): Fragment => {
  const followed = (environment: "TEST" | "LIVE") => sql`exists (
    select from ${name("event")} n
    where n.merchant_id = v.merchant_id and n.environment = ${sql.literal(`'${environment}'`)} and n.test_for is null
      and (n.epoch, n.committed_by, n.id) > (v.epoch, v.committed_by, v.id)
  )`
  return sql`(
    v.test_for is not null
    or v.topic in (${sql.literal(archivableTopics.map((topic) => `'${topic}'`).join(", "))})
      and case v.environment when 'TEST' then ${followed("TEST")} else ${followed("LIVE")} end
  )`
}

/**
 * Builds the condition that the delivery `d` is pending at an endpoint that still exists. A delivery created while its
 * endpoint was being removed may stay pending forever.
 */
export const isAwaited = ({ name, sql }: Database): Fragment => sql`
  d.status = 'PENDING' and exists (
    select from ${name("webhook_endpoint")} e where e.id = d.endpoint_id and e.removed_at is null
  )`

export const hasArchivable = (database: Database, month: ArchiveMonth): Fragment => {
  const { name, sql } = database
  return sql`exists (select from ${name("event")} v where ${happenedIn(database, month)} and ${mayGo(database)})`
}

/**
 * Reads the rows of the events, their deliveries and their attempts as JSON lines. Omits events with a pending
 * delivery, which stay in the store. Uses a single statement, because an event may be sent again between two
 * statements.
 */
export const linesOf = Effect.fnUntraced(function* (database: Database, ids: ReadonlyArray<string>) {
  const { name, sql } = database
  const line = (table: TakenTable, alias: string) =>
    sql`${sql.literal(`'${table}'`)} as "table", ${sql.literal(lineOf(table, alias))} as line`
  const rows = yield* Effect.flatMap(
    sql`
      with whole as materialized (
        select v.* from ${name("event")} v
        where v.id = any (${uuids(ids)})
          and not exists (select from ${name("delivery")} d where d.event_id = v.id and ${isAwaited(database)})
      )
      select l."table", l.event_id::text as "eventId", l.line from (
        select v.id as event_id, v.id as uuid, 0::bigint as id, ${line("event", "v")}
        from whole v
        union all
        select d.event_id, d.id, 0, ${line("delivery", "d")}
        from whole v join ${name("delivery")} d on d.event_id = v.id
        union all
        select d.event_id, d.id, a.id, ${line("delivery_attempt", "a")}
        from whole v join ${name("delivery")} d on d.event_id = v.id
        join ${name("delivery_attempt")} a on a.delivery_id = d.id
      ) l
      order by l.event_id, l.id, l.uuid`,
    decodeRows
  )
  const of = (table: TakenTable): ReadonlyArray<EventLine> => rows.filter((row) => row.table === table)
  const page: ArchivePage = { event: of("event"), delivery: of("delivery"), delivery_attempt: of("delivery_attempt") }
  return page
})

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

/**
 * Returns up to `pageSize` ids of the month's archivable events, in order, from the first id above `after`. Omits
 * events with a pending delivery.
 */
export const nextIds = (
  database: Database,
  month: ArchiveMonth,
  after: string
): Effect.Effect<ReadonlyArray<string>, InnerError> => {
  const { name, sql } = database
  return Effect.map(
    Effect.flatMap(
      sql`
        select v.id::text as id from ${name("event")} v
        where ${happenedIn(database, month)} and v.id > ${after}::uuid and ${mayGo(database)}
          and not exists (select from ${name("delivery")} d where d.event_id = v.id and ${isAwaited(database)})
        order by v.id limit ${pageSize}`,
      decodeIds
    ),
    (rows) => rows.map(({ id }) => id)
  )
}

/**
 * Reads the given merchants without contact details, and the given endpoints without urls and secrets, as JSON lines.
 */
export const referencesOf = Effect.fnUntraced(function* (
  { name, sql }: Database,
  merchants: ReadonlyArray<string>,
  endpoints: ReadonlyArray<string>
) {
  const texts = (rows: ReadonlyArray<{ readonly line: string }>) => rows.map(({ line }) => line)
  return {
    merchant: texts(
      yield* decodeTexts(
        yield* sql`select ${sql.literal(lineOf("merchant", "m"))} as line from ${name("merchant")} m
          where m.id = any (${uuids(merchants)}) order by m.id`
      )
    ),
    webhook_endpoint: texts(
      yield* decodeTexts(
        yield* sql`select ${sql.literal(lineOf("webhook_endpoint", "e"))} as line from ${name("webhook_endpoint")} e
          where e.id = any (${uuids(endpoints)}) order by e.id`
      )
    )
  }
})
