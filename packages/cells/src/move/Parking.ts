import { Effect } from "effect"
import type { CellDatabase } from "../CellDatabase.js"
import { parkedFrom, parkedUntil } from "./MoveFence.js"
import { type MovingTable, merchantParameter, moving } from "./MoveTables.js"

/** Returns an SQL condition for a merchant's rows of one table, aliased `t`, in a schema. */
export const theirs = ({ isTheirs }: MovingTable, schema: string, merchant: string): string =>
  isTheirs(`"${schema}"`).replaceAll(merchantParameter, `'${merchant}'::uuid`)

const keyOf = ({ key }: MovingTable): string =>
  `jsonb_build_object(${key.map((column) => `'${column}', t.${column}`).join(", ")})`

const sameKey = ({ key }: MovingTable, other: string): string =>
  key.map((column) => `t.${column} = ${other}.${column}`).join(" and ")

/** Marks the current transaction as the mover's, so the fence lets it write for the merchant. */
export const asMover = ({ sql }: CellDatabase["Service"], merchant: string) =>
  sql`select set_config('surety.mover', ${merchant}, true)`

/**
 * Parks a merchant's work and stores its due times. Workers of the source cell then leave the work alone. So do the
 * target's workers, until `unpark` runs there. Repeating the call parks work added since. Call it inside a transaction.
 */
export const park = Effect.fnUntraced(function* (cell: CellDatabase["Service"], merchant: string) {
  const { moves, schema, sql } = cell
  yield* asMover(cell, merchant)
  yield* sql.unsafe(`insert into "${schema}".platform_stream as t (stream, leased_until, fence)
    select p.stream, null, 0 from "${schema}".platform_outbox p where p.stream = '${merchant}' limit 1
    on conflict (stream) do nothing`)
  for (const table of moving) {
    if (table.parked === undefined) continue
    const { column, when } = table.parked
    const { name } = table
    yield* sql.unsafe(`with due as materialized (
      select ${keyOf(table)} as moved, ${table.key.map((part) => `t.${part}`).join(", ")}, t.${column} as until
      from "${schema}".${name} t
      where ${theirs(table, schema, merchant)} and ${when} and coalesce(t.${column}, '-infinity') < '${parkedFrom}'
      for update of t
    ),
    kept as (
      insert into "${moves}".parked (merchant_id, table_name, key, until)
      select '${merchant}', '${name}', due.moved, due.until from due
      on conflict (merchant_id, table_name, key) do update set until = excluded.until
    ),
    noted as (
      insert into "${moves}".change (merchant_id, table_name, key) select '${merchant}', '${name}', due.moved from due
    )
    update "${schema}".${name} t set ${column} = '${parkedUntil}' from due where ${sameKey(table, "due")}`)
  }
})

/**
 * Makes parked work due at its former time again, or earlier by as much as the merchant has advanced its test clock
 * meanwhile. Wakes the merchant's enabled endpoints. Call it inside a transaction.
 */
export const unpark = Effect.fnUntraced(function* (cell: CellDatabase["Service"], merchant: string) {
  const { moves, schema, sql } = cell
  yield* asMover(cell, merchant)
  for (const table of moving) {
    if (table.parked === undefined) continue
    const { column, when } = table.parked
    const { name } = table
    yield* sql.unsafe(`update "${schema}".${name} t
      set ${column} = p.until - make_interval(secs => extract(epoch from '${parkedUntil}' - t.${column}))
      from "${moves}".parked p, lateral jsonb_populate_record(null::"${schema}".${name}, p.key) k
      where p.merchant_id = '${merchant}' and p.table_name = '${name}' and ${sameKey(table, "k")}
        and ${when} and t.${column} >= '${parkedFrom}'`)
  }
  yield* sql.unsafe(`delete from "${moves}".parked where merchant_id = '${merchant}'`)
  yield* sql.unsafe(`insert into "${schema}".endpoint_wake (endpoint_id, failing, at)
    select e.id, e.failing_since is not null, '-infinity' from "${schema}".webhook_endpoint e
    where e.merchant_id = '${merchant}' and e.removed_at is null and e.status = 'ENABLED'`)
})
