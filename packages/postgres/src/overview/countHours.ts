import { Currency } from "@surety/core/Currency"
import { hourOf, hoursDue, isHourDue } from "@surety/core/overview/hoursDue"
import { type HourCount, hourlyFacts, type OverviewLog } from "@surety/core/overview/OverviewLog"
import { DateTime, Effect, Schema } from "effect"
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

/** An hour of five million refunds a week has many rows. */
const countTimeoutMillis = 30_000

/**
 * The verbs of hours. Ids sort by time, so an hour is a range of the primary keys of transfers, events and data requests;
 * attempts have an index of their own. Counting an hour takes a lock on it alone.
 */
export const makeHours = ({
  name,
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
    const [from, to] = [DateTime.toDate(hour), DateTime.toDate(end)]
    const [first, last] = [hour, end].map((at) => firstUuidAt(DateTime.toEpochMillis(at)))
    const within = (alias: string) => sql.literal(`${alias}.id >= '${first}'::uuid and ${alias}.id < '${last}'::uuid`)
    return sql`
      insert into ${name("hour_count")} (environment, hour, fact, currency, count, amount_minor)
      select f.environment, ${from}::timestamptz, f.fact, f.currency, sum(f.count), sum(f.amount_minor)
      from (
        select t.environment, case t.kind when 'PAYMENT' then 'payment.settled' when 'REFUND' then 'refund.paid'
            else 'refund.returned' end as fact,
          t.currency, count(*) as count, sum(t.amount_minor) as amount_minor
        from ${name("transfer")} t
        where ${within("t")} and t.kind in ('PAYMENT', 'REFUND', 'REFUND_REVERSAL')
        group by t.environment, t.kind, t.currency
        union all
        select v.environment, case v.topic when 'merchant.identity.consent_granted' then 'consent.granted'
            when 'merchant.identity.request.denied' then 'consent.denied'
            when 'merchant.identity.consent_revoked' then 'consent.revoked'
            when 'merchant.identity.consent_expired' then 'consent.expired' else 'verification.ended' end,
          '', count(*), null
        from ${name("event")} v
        where ${within("v")} and v.test_for is null and v.topic in (
          'merchant.identity.consent_granted', 'merchant.identity.request.denied', 'merchant.identity.consent_revoked',
          'merchant.identity.consent_expired', 'kyc.verification.completed'
        )
        group by v.environment, v.topic
        union all
        select d.environment, 'consent.asked', '', count(*), null
        from ${name("data_request")} d where ${within("d")} group by d.environment
        union all
        select d.environment,
          case when a.response_status between 200 and 299 then 'delivery.taken' else 'delivery.refused' end,
          '', count(*), null
        from ${name("delivery_attempt")} a join ${name("delivery")} d on d.id = a.delivery_id
        where a.started_at >= ${from} and a.started_at < ${to}
        group by 1, 2
      ) f
      group by f.environment, f.fact, f.currency`
  }

  /** Counts an hour, unless another process is counting it or has counted it meanwhile. Returns whether it did. */
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
