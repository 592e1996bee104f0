import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/**
 * Builds the expression for the position of an event `v` in the order. The text sorts like the columns `epoch`,
 * `committed_by` and `id`. It has eight hex digits of the epoch, sixteen of the transaction id, and the event's uuid.
 */
export const sequenceOf = (v: string): string =>
  `lpad(to_hex(${v}.epoch), 8, '0') || lpad(to_hex(${v}.committed_by::text::bigint), 16, '0') || replace(${v}.id::text, '-', '')`

/** Condition that the row `o` of `event_order` was written in this database rather than copied. */
const isOriginal = "o.written_by = o.xmin and o.written_in = o.tableoid"

/**
 * Builds SQL that selects the epoch of the next event. It is a new epoch if the database is a copy that has not begun
 * its own epoch.
 */
export const nextEpoch = ({ name, sql }: Database): Fragment => sql`
  select o.epoch + case when ${sql.literal(isOriginal)} then 0 else 1 end from ${name("event_order")} o where o.one`

/**
 * Builds SQL that selects the last event of each merchant `m` in each environment, except test events. Uses the order
 * of `sequenceOf`. Finding each event takes one index lookup.
 */
const lastEvents = ({ environmentIs, name, sql }: Database, merchants: Fragment): Fragment => {
  const last = (environment: "TEST" | "LIVE") => sql`
    select v.id, v.epoch, v.committed_by from ${merchants} m
    cross join lateral (
      select v.id, v.epoch, v.committed_by from ${name("event")} v
      where v.merchant_id = m.id and ${environmentIs("v", environment)} and v.test_for is null
      order by v.epoch desc, v.committed_by desc, v.id desc limit 1
    ) v`
  return sql`${last("TEST")} union all ${last("LIVE")}`
}

/**
 * Builds SQL that selects each merchant's last event per environment, if the next event might precede it. That is
 * possible if the last event's epoch is later than the next one's. With equal epochs, it is possible if the last
 * event's transaction id exceeds all completed ones in this cluster.
 */
export const misplaced = (database: Database, merchants: Fragment): Fragment => {
  const { sql } = database
  return sql`
    select v.id, v.epoch, v.committed_by from (${lastEvents(database, merchants)}) v
    cross join (select coalesce((${nextEpoch(database)}), 0) as epoch) o
    where v.epoch > o.epoch
      or v.epoch = o.epoch and v.committed_by >= pg_snapshot_xmax(pg_current_snapshot())`
}
