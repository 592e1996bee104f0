import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { moveTables, moving, tablesOfPeople } from "@surety/cells/move/MoveTables"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer } from "effect"
import * as TestCells from "../TestCells.js"

const layer = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 }))).pipe(
  Layer.provide(TestCells.database)
)

const names = (rows: ReadonlyArray<{ readonly name: string }>) => rows.map(({ name }) => name).sort()

/** Tables that do not move although they have a `merchant_id` column. */
const withMerchantBut: ReadonlyArray<string> = ["verified_chain"]

it.layer(layer, { timeout: 60_000, excludeTestServices: true })("tables of a cell", (it) => {
  it.effect("each say whether they move", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const rows = yield* sql<{ name: string }>`
        select c.relname::text as name from pg_class c
        where c.relnamespace = 'cell_east'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`
      assert.deepStrictEqual(names(rows), names(moveTables))
      assert.strictEqual(new Set(names(moveTables)).size, moveTables.length)
    })
  )

  it.effect("move if they name a merchant, and with the columns and keys that the rules give", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const columns = yield* sql<{ table: string; name: string }>`
        select c.relname::text as "table", a.attname::text as name
        from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'cell_east'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`
      const of = (table: string) => columns.filter((column) => column.table === table).map(({ name }) => name)
      const named = [...new Set(columns.filter(({ name }) => name === "merchant_id").map(({ table }) => table))]
      const moved = names(moving)
      assert.deepStrictEqual(
        named.filter((name) => !moved.includes(name)),
        [...withMerchantBut]
      )
      for (const { fresh, key, name, parked } of moving) {
        assert.includeMembers(of(name), [...key, ...fresh, ...(parked === undefined ? [] : [parked.column])], name)
      }
      const ofPeople = moved.filter((name) => of(name).includes("user_id"))
      assert.sameMembers(ofPeople, [...tablesOfPeople])
    })
  )

  it.effect("move after the tables that they refer to, and refer to none that stays but people", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const keys = yield* sql<{ from: string; to: string; deferred: boolean }>`
        select f.relname::text as "from", t.relname::text as "to", k.condeferrable as deferred
        from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
        where k.contype = 'f' and k.connamespace = 'cell_east'::regnamespace and k.conparentid = 0`
      const place = (name: string) => moving.findIndex((table) => table.name === name)
      const wrong = keys.filter(({ deferred, from, to }) => {
        if (place(from) === -1) return place(to) !== -1
        if (place(to) === -1) return to !== "consumer"
        return !deferred && place(to) >= place(from)
      })
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("are left without reading a table for each row: an index leads to all that refers to one", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const bare = yield* sql<{ name: string }>`
        select k.conname::text as name from pg_constraint k
        where k.contype = 'f' and k.connamespace = 'cell_east'::regnamespace and k.conparentid = 0
          and k.confrelid <> all (array['cell_east.consumer', 'cell_east.merchant']::regclass[])
          and not exists (
            select from pg_index i where i.indrelid = k.conrelid and i.indkey[0] = any (k.conkey)
              and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) like '% IS NOT NULL)')
          )
        order by 1`
      assert.deepStrictEqual(names(bare), ["asking_request_fkey", "transfer_payment_fkey"], "a move makes these itself")
    })
  )
})
