import { Effect } from "effect"
import type { CellDatabase } from "../CellDatabase.js"
import { takeHours } from "./hourCounts.js"
import { moving } from "./MoveTables.js"
import { asMover, theirs } from "./Parking.js"

/**
 * Deletes all rows of a merchant, and subtracts them from the cell's counts. Rows of people and accounts that other
 * merchants write too are changed last: deleting takes long, and those merchants would wait. Inside a transaction.
 */
export const deleteRows = Effect.fnUntraced(function* (
  cell: CellDatabase["Service"],
  attempt: string,
  merchant: string
) {
  const { moves, schema, sql } = cell
  const kept = (name: string) => `"${moves}"."${name}_${attempt.replaceAll("-", "")}"`
  const [evidence, opened] = [kept("evidence"), kept("opened")]
  yield* asMover(cell, merchant)
  yield* sql`select set_config('surety.moved_out', ${merchant}, true)`
  yield* takeHours(cell, merchant)
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
  for (const table of ["verified_point", "verified_account", "verified_total", "verified_open"]) {
    yield* sql.unsafe(`delete from "${schema}".${table}`)
  }
  yield* sql.unsafe(`delete from "${moves}".change where merchant_id = '${merchant}'`)
  yield* sql.unsafe(`delete from "${moves}".parked where merchant_id = '${merchant}'`)
  yield* sql.unsafe(`update "${schema}".consumer c set kyc_evidence_count = c.kyc_evidence_count - e.count
    from ${evidence} e where c.id = e.user_id and c.environment = e.environment`)
  // The first remaining part of an account in this cell becomes the one that opened it.
  yield* sql.unsafe(`with first as (
      select min(a.id) as id from ${opened} g join "${schema}".account a
        on a.kind = g.kind and a.environment = g.environment and a.currency = g.currency
          and a.user_id is not distinct from g.user_id and a.merchant_id is distinct from '${merchant}'
      group by g.user_id, g.environment, g.currency, g.kind
    )
    update "${schema}".account a set opens_account = true from first where a.id = first.id`)
  yield* sql.unsafe(`drop table ${evidence}, ${opened}`)
})
