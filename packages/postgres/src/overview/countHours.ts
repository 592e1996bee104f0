import { Currency } from "@surety/core/Currency"
import { hourOf, hoursDue, isHourDue } from "@surety/core/overview/hoursDue"
import { type HourCount, hourlyFacts, type OverviewLog } from "@surety/core/overview/OverviewLog"
import { DateTime, Effect, Schema } from "effect"
import { factsSql } from "../hourlyFacts.js"
import * as Column from "../sql/ColumnSchemas.js"
import type { Database } from "../sql/Database.js"
import { firstUuidAt } from "../sql/listCursor.js"

const CountedRow = Schema.Struct({ hour: Column.time, countedAt: Column.time })

const decodeCounted = Schema.decodeUnknownEffect(Schema.Array(CountedRow))

const HourRow = Schema.Struct({
  hour: Column.time,
  fact: Schema.Literals(hourlyFacts),
  currency: Column.nullable(Currency),
  count: Schema.BigInt,
  amountMinor: Column.nullable(Schema.BigIntFromString)
})

const decodeHours = Schema.decodeUnknownEffect(Schema.Array(HourRow))

const decodeLatest = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ countedAt: Column.nullable(Column.time) })])
)

/** Time limit for a call that counts hours. At five million refunds a week, an hour has about 30,000 refunds. */
const countTimeoutMillis = 30_000

/**
 * Builds the operations on hourly counts. Ids sort by time, so an hour is a primary key range of transfers, events and
 * data requests. Delivery attempts have an index on their time. Counting locks only the hour being counted.
 */
export const makeHours = ({
  name,
  nameText,
  sql,
  verb
}: Database): Pick<OverviewLog["Service"], "countHours" | "hours" | "countedAt"> => {
  const counted = (since: DateTime.Utc) =>
    Effect.flatMap(
      sql`select h.hour, h.counted_at as "countedAt" from ${name("hour_counted")} h where h.hour >= ${DateTime.toDate(hourOf(since))}`,
      decodeCounted
    )

  const insertCounts = (hour: DateTime.Utc) => {
    const end = DateTime.add(hour, { hours: 1 })
    const [from, to] = [hour, end].map((at) => `'${DateTime.formatIso(at)}'::timestamptz`)
    const [first, last] = [hour, end].map((at) => firstUuidAt(DateTime.toEpochMillis(at)))
    const facts = factsSql(nameText, (row, time) =>
      time === "started_at"
        ? `${row}.started_at >= ${from} and ${row}.started_at < ${to}`
        : `${row}.id >= '${first}'::uuid and ${row}.id < '${last}'::uuid`
    )
    return sql`
      insert into ${name("hour_count")} (environment, hour, fact, currency, count, amount_minor)
      select f.environment, ${DateTime.toDate(hour)}::timestamptz, f.fact, f.currency, count(*), sum(f.amount_minor)
      from (${sql.literal(facts)}) f
      group by f.environment, f.fact, f.currency`
  }

  /** Counts an hour if it is due and no other process is counting it. Returns true if this call counted it. */
  const count = (hour: DateTime.Utc, now: DateTime.Utc) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const at = DateTime.toDate(hour)
        yield* sql`
          insert into ${name("hour_counted")} (hour, counted_at) values (${at}, 'epoch') on conflict (hour) do nothing`
        const [locked] = yield* Effect.flatMap(
          sql`
            select h.hour, h.counted_at as "countedAt" from ${name("hour_counted")} h where h.hour = ${at} for update skip locked`,
          decodeCounted
        )
        if (locked === undefined || !isHourDue(hour, locked.countedAt, now)) return false
        yield* sql`delete from ${name("hour_count")} where hour = ${at} and environment in ('TEST', 'LIVE')`
        yield* insertCounts(hour)
        yield* sql`update ${name("hour_counted")} set counted_at = ${DateTime.toDate(now)} where hour = ${at}`
        return true
      })
    )

  const countHours: OverviewLog["Service"]["countHours"] = Effect.fn("PgOverviewLog.countHours")(
    function* ({ now, since }, limit) {
      const due = hoursDue(yield* counted(since), { now, since }, limit)
      const done = yield* Effect.forEach(due, (hour) => count(hour, now))
      return done.filter(Boolean).length
    },
    verb("OverviewLog.countHours", countTimeoutMillis)
  )

  const hours: OverviewLog["Service"]["hours"] = Effect.fn("PgOverviewLog.hours")(function* ({ environment, since }) {
    const rows = yield* sql`
        select h.hour, h.fact, nullif(h.currency, '') as currency, h.count, h.amount_minor::text as "amountMinor"
        from ${name("hour_count")} h
        where h.environment = ${environment} and h.hour >= ${DateTime.toDate(hourOf(since))}
        order by h.hour, h.fact, h.currency`
    const found = yield* decodeHours(rows)
    return found.map(({ count: times, ...row }): HourCount => ({ ...row, count: Number(times) }))
  }, verb("OverviewLog.hours"))

  const countedAt = Effect.flatMap(
    sql`select max(h.counted_at) as "countedAt" from ${name("hour_counted")} h where h.counted_at > 'epoch'`,
    decodeLatest
  ).pipe(
    Effect.map(([latest]) => latest.countedAt),
    verb("OverviewLog.countedAt"),
    Effect.withSpan("PgOverviewLog.countedAt")
  )

  return { countHours, hours, countedAt }
}
