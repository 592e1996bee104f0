import type { Fragment } from "effect/sql/Statement"
import type { Database } from "../sql/Database.js"

/** Whether the row `o` of `event_order` was written here, and not copied with the database. */
const isOriginal = "o.written_by = o.xmin and o.written_in = o.tableoid"

/** The epoch that an event would get now: the next one if the database is a copy in which none was kept yet. */
export const nextEpoch = ({ name, sql }: Database): Fragment => sql`
  select o.epoch + case when ${sql.literal(isOriginal)} then 0 else 1 end from ${name("event_order")} o where o.one`

/** The last event of each merchant and environment, in the order of commits. Found one by one over the order's indexes. */
const lastEvents = ({ environmentIs, name, sql }: Database): Fragment => {
  const last = (environment: "TEST" | "LIVE") => sql`
    select v.id, v.epoch, v.committed_by from ${name("merchant")} m
    cross join lateral (
      select v.id, v.epoch, v.committed_by from ${name("event")} v
      where v.merchant_id = m.id and ${environmentIs("v", environment)} and v.test_for is null
      order by v.epoch desc, v.committed_by desc, v.id desc limit 1
    ) v`
  return sql`${last("TEST")} union all ${last("LIVE")}`
}

/**
 * Events that the next one could come to stand before: of a later epoch, or of the current one under a transaction id
 * that this cluster has yet to give out.
 */
export const misplaced = (database: Database): Fragment => {
  const { sql } = database
  return sql`
    select v.id, v.epoch, v.committed_by from (${lastEvents(database)}) v
    cross join (select coalesce((${nextEpoch(database)}), 0) as epoch) o
    where v.epoch > o.epoch
      or v.epoch = o.epoch and v.committed_by >= pg_snapshot_xmax(pg_current_snapshot())`
}
