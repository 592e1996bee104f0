import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"

const Reads = Schema.Tuple([Schema.Struct({ scans: Schema.BigInt, rows: Schema.BigInt })])

/** Returns the tables' totals so far: sequential scans, and rows and index entries read. */
export const readsOf = Effect.fnUntraced(function* (tables: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  yield* sql`select pg_stat_force_next_flush()`
  const rows = yield* sql`
    select sum(t.seq_scan)::bigint as scans,
      sum(t.seq_tup_read + coalesce(t.idx_tup_fetch, 0) + (
        select coalesce(sum(i.idx_tup_read), 0) from pg_stat_user_indexes i where i.relid = t.relid
      ))::bigint as rows
    from pg_stat_user_tables t where t.schemaname = 'surety' and ${sql.in("t.relname", tables)}`
  const [row] = yield* Schema.decodeUnknownEffect(Reads)(rows)
  return row
})

/**
 * Number of consecutive measurements that must exceed the limit before a check fails. Reads by other connections are
 * counted late, but only once. An operation's own reads recur.
 */
const counts = 3

/**
 * Fails if an operation reads more than `mostRead` rows and index entries of the tables, or scans a table sequentially.
 * The excess must recur in `counts` consecutive measurements. Runs every operation at least eight times: from the sixth
 * on, the server may use a generic plan.
 */
export const expectFew = Effect.fnUntraced(function* <E, R>(
  tables: ReadonlyArray<string>,
  mostRead: number,
  verbs: ReadonlyArray<readonly [string, Effect.Effect<unknown, E, R>]>
) {
  const wasteful = new Set<string>()
  for (const [name, verb] of verbs) {
    const excess = Effect.gen(function* () {
      const before = yield* readsOf(tables)
      yield* verb
      const after = yield* readsOf(tables)
      const scans = after.scans - before.scans
      const rows = Number(after.rows - before.rows)
      return scans > 0n || rows > mostRead ? `${name}: ${scans} tables as a whole, ${rows} rows` : undefined
    })
    for (const _ of Array.from({ length: 8 })) {
      const found = yield* Effect.repeat(excess, { while: (one) => one !== undefined, times: counts - 1 })
      if (found !== undefined) wasteful.add(found)
    }
  }
  assert.deepStrictEqual([...wasteful], [])
})
