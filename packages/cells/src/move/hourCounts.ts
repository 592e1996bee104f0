import { factsSql } from "@surety/postgres/hourlyFacts"
import { Effect } from "effect"
import type { CellDatabase } from "../CellDatabase.js"

/** Returns SQL that counts and sums the merchant's facts (`factsSql`) per hour, from the tables in a schema. */
const factsOf = (schema: string, merchant: string): string => {
  const facts = factsSql(
    (name) => `"${schema}".${name}`,
    (row) => `${row === "a" ? "d" : row}.merchant_id = '${merchant}'`
  )
  return `select f.environment, f.fact, f.currency, count(*) as count, sum(f.amount_minor) as amount_minor,
      date_trunc('hour', coalesce(
        f.started_at, to_timestamp(('x0000' || left(replace(f.id::text, '-', ''), 12))::bit(64)::bigint / 1000.0)
      ), 'UTC') as hour
    from (${facts}) f group by 1, 2, 3, 6`
}

/** Stores the result of `factsOf` for the schema `from` in the new table `into`. Takes no row locks. */
export const keepHours = ({ sql }: CellDatabase["Service"], into: string, from: string, merchant: string) =>
  sql.unsafe(`create table ${into} as ${factsOf(from, merchant)}`)

/**
 * Waits until no hour in `kept` is being counted, and blocks the counting of these hours until the transaction ends.
 * Locks hours in order, so two moves cannot deadlock. Hours not yet counted are locked too.
 */
const holdHours = Effect.fnUntraced(function* ({ schema, sql }: CellDatabase["Service"], kept: string) {
  yield* sql.unsafe(`insert into "${schema}".hour_counted (hour, counted_at)
    select distinct f.hour, 'epoch'::timestamptz from ${kept} f order by f.hour on conflict (hour) do nothing`)
  yield* sql.unsafe(
    `select 1 from "${schema}".hour_counted h where h.hour in (select f.hour from ${kept} f) order by h.hour for update`
  )
})

/**
 * Adds a merchant's facts, as stored by `keepHours`, to the hours that the cell has counted. Hours not yet counted
 * include the facts once the cell counts them. Call it inside a transaction.
 */
export const addHours = Effect.fnUntraced(function* (cell: CellDatabase["Service"], kept: string) {
  const { schema, sql } = cell
  yield* holdHours(cell, kept)
  yield* sql.unsafe(`insert into "${schema}".hour_count as c (environment, hour, fact, currency, count, amount_minor)
    select f.environment, f.hour, f.fact, f.currency, f.count, f.amount_minor from ${kept} f
    join "${schema}".hour_counted h on h.hour = f.hour and h.counted_at > 'epoch'
    on conflict (environment, hour, fact, currency) do update
      set count = c.count + excluded.count, amount_minor = c.amount_minor + excluded.amount_minor`)
})

/**
 * Subtracts a merchant's facts, as stored by `keepHours`, from the cell's counts. Facts that were archived or removed
 * by retention stay counted here. Call it inside the transaction that deletes the rows.
 */
export const takeHours = Effect.fnUntraced(function* (cell: CellDatabase["Service"], kept: string) {
  const { schema, sql } = cell
  yield* holdHours(cell, kept)
  yield* sql.unsafe(`with none as (
      delete from "${schema}".hour_count c using ${kept} f
      where c.environment = f.environment and c.hour = f.hour and c.fact = f.fact and c.currency = f.currency
        and c.count <= f.count
    )
    update "${schema}".hour_count c set count = c.count - f.count, amount_minor = c.amount_minor - f.amount_minor
    from ${kept} f
    where c.environment = f.environment and c.hour = f.hour and c.fact = f.fact and c.currency = f.currency
      and c.count > f.count`)
})
