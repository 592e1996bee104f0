import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import type { CellName } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import * as Strays from "@surety/cells/directory/Strays"
import { clearCell } from "@surety/cells/move/clearCell"
import { ClearRefused } from "@surety/cells/move/MoveFailed"
import * as MoveFence from "@surety/cells/move/MoveFence"
import { moving } from "@surety/cells/move/MoveTables"
import { theirs } from "@surety/cells/move/Parking"
import * as Staging from "@surety/cells/move/Staging"
import { toUuid } from "@surety/core/Ids"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Schema } from "effect"
import * as TestCells from "../TestCells.js"
import { beside, databaseOf, holders, killedAfter, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const isRefused = Schema.is(ClearRefused)

/** One client reads the cell and the directory, which are in one database. */
const straysOf = Effect.fnUntraced(function* (cell: CellName) {
  const { schema, sql } = yield* databaseOf(cell)
  const found = yield* Strays.inCell(cell, sql).pipe(
    Effect.provideService(PgClient, sql),
    Effect.provide(PgSettings.layer({ schema }))
  )
  return found.map(({ merchantId }) => merchantId)
}, Effect.scoped)

/**
 * Copies the merchant's rows in the eastern cell. Returns an effect that puts the rows back there after a move, which
 * simulates a restored backup.
 */
const backupOf = Effect.fnUntraced(function* ({ merchant }: Shop.Shop) {
  const database = yield* databaseOf(east)
  yield* MoveFence.install(database)
  const { moves, schema, sql } = database
  const own = toUuid(merchant.id)
  const rowsOf = ({ name }: (typeof moving)[number]) => `backup_${name}`
  for (const table of moving) {
    yield* sql.unsafe(`create table "${moves}".${rowsOf(table)} as
      select t.* from "${schema}".${table.name} t where ${theirs(table, schema, own)}`)
  }
  return sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select set_config('surety.mover', ${own}, true)`
      yield* sql.unsafe(`delete from "${moves}".departure where merchant_id = '${own}'`)
      for (const table of moving) {
        const columns = yield* sql<{ readonly name: string }>`select attname::text as name from pg_attribute
          where attrelid = to_regclass(${`"${schema}".${table.name}`}) and attnum > 0 and not attisdropped and attgenerated = ''`
        const names = columns.map(({ name }) => name).join(", ")
        yield* sql.unsafe(`insert into "${schema}".${table.name} (${names}) overriding system value
          select ${names} from "${moves}".${rowsOf(table)}`)
        yield* sql.unsafe(`drop table "${moves}".${rowsOf(table)}`)
      }
    })
  )
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a cell that was restored", (it) => {
  it.effect(
    "is refused with rows of a merchant that has left, until they are cleared: its own stay, and it can come back",
    () =>
      Effect.gen(function* () {
        const shop = yield* Shop.make(east)
        const neighbour = yield* Shop.make(east)
        const restore = yield* backupOf(shop)
        yield* move(shop)
        const [before, other] = [yield* Shop.view(shop), yield* Shop.view(neighbour)]
        assert.deepStrictEqual(yield* straysOf(east), [])
        yield* restore
        assert.deepStrictEqual(yield* straysOf(east), [shop.merchant.id])
        const database = yield* databaseOf(east)
        const refused = yield* Strays.refuse(east, database.sql).pipe(
          Effect.provideService(PgClient, database.sql),
          Effect.provide(PgSettings.layer({ schema: database.schema })),
          Effect.flip
        )
        assert.include(refused.message, `surety cells clear ${shop.merchant.id} --cell east`)
        assert.strictEqual(yield* clearCell(shop.merchant.id, east, databaseOf), west)
        assert.deepStrictEqual(yield* straysOf(east), [])
        assert.deepStrictEqual(yield* holders(shop), [west])
        assert.deepStrictEqual(yield* Shop.view(shop), before)
        assert.deepStrictEqual(yield* Shop.view(neighbour), other)
        yield* sound
        yield* move(shop, east)
        assert.deepStrictEqual(yield* holders(shop), [east])
        yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
        yield* sound
      }).pipe(Effect.scoped)
  )

  it.effect("has none at any step of a move, nor is anything cleared before it ends, or of the merchant's own", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      for (const step of ["arrived", "switched", "started", "left"] as const) {
        const seen = Effect.gen(function* () {
          assert.deepStrictEqual([...(yield* straysOf(east)), ...(yield* straysOf(west))], [], step)
          const failure = yield* Effect.flip(clearCell(shop.merchant.id, east, databaseOf))
          assert.isTrue(isRefused(failure), String(failure))
        }).pipe(Effect.scoped)
        yield* beside(shop, step, seen)
        assert.deepStrictEqual(yield* holders(shop), [west])
        yield* move(shop, east)
      }
      assert.strictEqual(yield* clearCell(shop.merchant.id, east, databaseOf), east)
      assert.deepStrictEqual(yield* holders(shop), [east])
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what may be the only copy when the directory was restored, with or without the former cell", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const restore = yield* backupOf(shop)
      yield* move(shop)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      const before = yield* Shop.view(shop)
      const { sql } = yield* databaseOf(east)
      const leadsTo = (cell: CellName) =>
        sql`update surety_directory.merchant_place set cell = ${cell} where merchant_id = ${shop.merchant.id}`
      const refused = Effect.fnUntraced(function* (missing: string) {
        yield* leadsTo(east)
        const failure = yield* Effect.flip(clearCell(shop.merchant.id, west, databaseOf))
        assert.isTrue(isRefused(failure), String(failure))
        assert.include(String(failure), `"${east}", which lacks its latest ${missing} from "${west}"`)
        yield* leadsTo(west)
      })
      yield* refused("merchant")
      yield* restore
      yield* refused("refund")
      const left = yield* sql`select 1 from pg_indexes where indexname like 'surety_moves%'`
      assert.lengthOf(left, 0, "its indexes are dropped")
      assert.strictEqual(yield* clearCell(shop.merchant.id, east, databaseOf), west)
      assert.deepStrictEqual(yield* Shop.view(shop), before)
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("says of each remnant which side of a move it is, and where the move led", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "copied")
      const directory = yield* CellDirectory
      const open = (yield* directory.moves).filter(({ merchantId }) => merchantId === shop.merchant.id)
      // A restored directory does not know of the move.
      yield* Effect.forEach(open, directory.endMove)
      const found = yield* Effect.forEach([east, west], (cell) => Effect.flatMap(databaseOf(cell), Staging.remnants))
      const { id: merchantId } = shop.merchant
      assert.deepStrictEqual(found, [[{ _tag: "Leaving", merchantId, to: west }], [{ _tag: "Arriving", merchantId }]])
      yield* clearCell(merchantId, west, databaseOf)
      assert.deepStrictEqual(yield* Effect.flatMap(databaseOf(west), Staging.remnants), [])
    }).pipe(Effect.scoped)
  )
})
