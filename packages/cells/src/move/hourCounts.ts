import { factsSql } from "@surety/postgres/hourlyFacts"
import { Effect } from "effect"
import type { CellDatabase } from "../CellDatabase.js"

/** SQL of the merchant's facts by hour, of the tables in a schema. */
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

/** Waits until none of the hours is being counted, and blocks counting until the end of the transaction. */
const holdHours = ({ schema, sql }: CellDatabase["Service"], facts: string) =>
  sql.unsafe(
    `select 1 from "${schema}".hour_counted h where h.hour in (select hour from (${facts}) f) order by h.hour for update`
  )

/**
 * Adds the merchant's facts, from the tables in `from`, to the hours that the cell has counted. It counts the other
 * hours itself, with the merchant's. Inside a transaction.
 */
export const addHours = Effect.fnUntraced(function* (cell: CellDatabase["Service"], from: string, merchant: string) {
  const { schema, sql } = cell
  const facts = factsOf(from, merchant)
  yield* holdHours(cell, facts)
  yield* sql.unsafe(`insert into "${schema}".hour_count as c (environment, hour, fact, currency, count, amount_minor)
    select f.environment, f.hour, f.fact, f.currency, f.count, f.amount_minor from (${facts}) f
    join "${schema}".hour_counted h on h.hour = f.hour and h.counted_at > 'epoch'
    on conflict (environment, hour, fact, currency) do update
      set count = c.count + excluded.count, amount_minor = c.amount_minor + excluded.amount_minor`)
})

/**
 * Subtracts the merchant's facts from the cell's counts. Facts that were archived or taken by retention stay counted
 * here. Inside a transaction, before the rows are deleted.
 */
export const takeHours = Effect.fnUntraced(function* (cell: CellDatabase["Service"], merchant: string) {
  const { schema, sql } = cell
  const facts = factsOf(schema, merchant)
  yield* holdHours(cell, facts)
  yield* sql.unsafe(`with f as materialized (${facts}),
    none as (
      delete from "${schema}".hour_count c using f
      where c.environment = f.environment and c.hour = f.hour and c.fact = f.fact and c.currency = f.currency
        and c.count <= f.count
    )
    update "${schema}".hour_count c set count = c.count - f.count, amount_minor = c.amount_minor - f.amount_minor
    from f
    where c.environment = f.environment and c.hour = f.hour and c.fact = f.fact and c.currency = f.currency
      and c.count > f.count`)
})
