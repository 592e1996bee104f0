import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { CellDatabase } from "../CellDatabase.js"
import { keepHours, takeHours } from "./hourCounts.js"
import { insist } from "./MoveFence.js"
import { moving } from "./MoveTables.js"
import { asMover, theirs } from "./Parking.js"

/**
 * Maximum retries to create or drop an index after deadlocks. Deadlocks occur because concurrent builds on one table
 * wait for each other.
 */
const indexTries = 20

/**
 * Indexes that only deletions need, for foreign key checks. Without them, each deleted payment or data request would
 * cause a scan of a table.
 */
const deleteIndexes = [
  { name: "surety_moves_payment", table: "transfer", column: "payment_id" },
  { name: "surety_moves_request", table: "asking", column: "block_request_id" }
] as const

/**
 * Returns a wrapper that creates the indexes before a deletion and drops them afterwards, even if the deletion fails.
 * Not for use inside a transaction. Each merchant has its own indexes, so no deletion drops another merchant's.
 */
export const withDeleteIndexes = ({ schema, sql }: CellDatabase["Service"], merchant: string) => {
  const own = deleteIndexes.map((index) => ({ ...index, name: `${index.name}_${merchant.replaceAll("-", "")}` }))
  const drop = (name: string) => sql.unsafe(`drop index concurrently if exists "${schema}".${name}`).unprepared
  const dropAll = Effect.forEach(own, ({ name }) => insist(drop(name), indexTries), { discard: true })
  const make = Effect.forEach(
    own,
    ({ column, name, table }) =>
      insist(
        Effect.andThen(
          drop(name),
          sql.unsafe(`create index concurrently ${name} on "${schema}".${table} (${column})
            where ${column} is not null`).unprepared
        ),
        indexTries
      ),
    { discard: true }
  )
  return <A, E, R>(deletion: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.andThen(make, deletion).pipe(
      Effect.onError(() => Effect.ignore(dropAll)),
      Effect.tap(() => dropAll)
    )
}

/** Tables that record what the audit has verified. Most audit steps write them in this order, so deadlocks are rare. */
const verified = ["verified_account", "verified_total", "verified_open", "verified_point", "verified_chain"]

/**
 * Deletes all rows of a merchant, subtracts them from the cell's counts and resets the audit's verified state. Call it
 * inside a transaction.
 *
 * Rows shared with other merchants (people, accounts, verified rows and hours) are locked last, because the deletion is
 * slow. People, accounts and hours are each locked in key order. Two deletions, or a deletion and an arrival, therefore
 * cannot deadlock over them.
 */
export const deleteRows = Effect.fnUntraced(function* (
  cell: CellDatabase["Service"],
  attempt: string,
  merchant: string
) {
  const { moves, schema, sql } = cell
  const kept = (name: string) => `"${moves}"."${name}_${attempt.replaceAll("-", "")}"`
  const [evidence, hours, opened] = [kept("evidence"), kept("hours"), kept("opened")]
  yield* asMover(cell, merchant)
  yield* sql`select set_config('surety.moved_out', ${merchant}, true)`
  yield* keepHours(cell, hours, schema, merchant)
  yield* sql.unsafe(`create table ${evidence} as
    select user_id, environment, count(*) from "${schema}".kyc_evidence where merchant_id = '${merchant}' group by 1, 2`)
  yield* sql.unsafe(`create table ${opened} as
    select distinct user_id, environment, currency, kind from "${schema}".account t
    where t.merchant_id = '${merchant}' and t.opens_account and t.kind <> 'SETTLEMENT'`)
  yield* sql.unsafe(`delete from "${schema}".endpoint_claim w using "${schema}".webhook_endpoint e
    where e.id = w.endpoint_id and e.merchant_id = '${merchant}'`)
  yield* sql.unsafe(`delete from "${schema}".endpoint_wake w using "${schema}".webhook_endpoint e
    where e.id = w.endpoint_id and e.merchant_id = '${merchant}'`)
  for (const table of [...moving].reverse()) {
    yield* sql.unsafe(`delete from "${schema}".${table.name} t where ${theirs(table, schema, merchant)}`)
  }
  yield* sql.unsafe(`delete from "${moves}".change where merchant_id = '${merchant}'`)
  yield* sql.unsafe(`delete from "${moves}".parked where merchant_id = '${merchant}'`)
  yield* sql.unsafe(`with held as materialized (
      select c.id, c.environment, e.count from "${schema}".consumer c
      join ${evidence} e on c.id = e.user_id and c.environment = e.environment
      order by c.environment, c.id for no key update of c
    )
    update "${schema}".consumer c set kyc_evidence_count = c.kyc_evidence_count - h.count
    from held h where c.id = h.id and c.environment = h.environment`)
  // An account can have several rows, and lists show only the first (`opens_account`). If that row was this merchant's,
  // the remaining row with the lowest id takes its place.
  yield* sql.unsafe(`with first as (
      select min(a.id) as id from ${opened} g join "${schema}".account a
        on a.kind = g.kind and a.environment = g.environment and a.currency = g.currency
          and a.user_id is not distinct from g.user_id and a.merchant_id is distinct from '${merchant}'
      group by g.user_id, g.environment, g.currency, g.kind
    ),
    held as materialized (
      select a.id from "${schema}".account a where a.id in (select f.id from first f) order by a.id for no key update
    )
    update "${schema}".account a set opens_account = true from held h where a.id = h.id`)
  for (const table of verified) yield* sql.unsafe(`delete from "${schema}".${table}`)
  yield* takeHours(cell, hours)
  yield* sql.unsafe(`drop table ${evidence}, ${hours}, ${opened}`)
})
