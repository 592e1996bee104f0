import { assert, it } from "@effect/vitest"
import type { CellName } from "@surety/cells/Cells"
import { Cells } from "@surety/cells/Cells"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { makeArrival } from "@surety/cells/move/Arrival"
import { abortMove } from "@surety/cells/move/abortMove"
import type { MoveStep } from "@surety/cells/move/MoveFailed"
import { moveMerchant } from "@surety/cells/move/moveMerchant"
import { sidesOf } from "@surety/cells/move/Sides"
import * as Staging from "@surety/cells/move/Staging"
import { toUuid } from "@surety/core/Ids"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Deferred, Duration, Effect, Exit, Fiber } from "effect"
import * as TestCells from "../TestCells.js"
import { atOnce, beside, databaseOf, heldIn, holders, killedAfter, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const remnantsOf = Effect.fnUntraced(function* ({ merchant }: Pick<Shop.Shop, "merchant">) {
  const open = (yield* (yield* CellDirectory).moves).filter(({ merchantId }) => merchantId === merchant.id)
  const cells = yield* Effect.forEach([east, west], (cell) =>
    Effect.map(Effect.flatMap(databaseOf(cell), Staging.remnants), (found) =>
      found.some(({ merchantId }) => merchantId === merchant.id) ? [cell] : []
    )
  )
  return [...open, ...cells.flat()]
}, Effect.scoped)

const newAttempt = ({ merchant }: Pick<Shop.Shop, "merchant">, to: CellName = west) => ({
  merchantId: merchant.id,
  from: east,
  to,
  isSwitched: false,
  attempt: crypto.randomUUID()
})

const newArrival = Effect.fnUntraced(function* (shop: Pick<Shop.Shop, "merchant">) {
  return makeArrival(yield* databaseOf(west), newAttempt(shop), toUuid(shop.merchant.id))
})

const countIn = Effect.fnUntraced(function* (cell: CellName, table: string, { merchant }: Pick<Shop.Shop, "merchant">) {
  const { moves, sql } = yield* databaseOf(cell)
  const rows = yield* sql.unsafe(`select 1 from "${moves}".${table} where merchant_id = '${toUuid(merchant.id)}'`)
  return rows.length
}, Effect.scoped)

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a move that ends early", (it) => {
  it.effect("is given up as soon as it began: the run stops, and the merchant is in one cell", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      for (const step of ["begun", "opened", "copied", "compared"] satisfies ReadonlyArray<MoveStep>) {
        assert.isTrue(Exit.isFailure(yield* beside(shop, step, abortMove(shop.merchant.id))), step)
        assert.deepStrictEqual(yield* holders(shop), [east], step)
        assert.deepStrictEqual(yield* remnantsOf(shop), [], step)
      }
      assert.deepStrictEqual(yield* Shop.view(shop), before)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* move(shop)
      assert.deepStrictEqual(yield* remnantsOf(shop), [])
      yield* sound
    })
  )

  it.effect("is given up when a cell is migrated meanwhile: the copy would lack a column", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const { sql } = yield* databaseOf(east)
      const migrated = Effect.gen(function* () {
        yield* sql`alter table cell_east.api_key add column later text`
        yield* sql`update cell_east.api_key set later = 'kept' where merchant_id = ${toUuid(shop.merchant.id)}`
      })
      for (const step of ["begun", "compared", "parked"] satisfies ReadonlyArray<MoveStep>) {
        assert.isTrue(Exit.isFailure(yield* beside(shop, step, migrated)), step)
        assert.deepStrictEqual(yield* holders(shop), [east], step)
        assert.deepStrictEqual(yield* remnantsOf(shop), [], step)
        yield* sql`alter table cell_east.api_key drop column later`
      }
      yield* move(shop)
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("leaves no copy of people's data, and no open move, after a failure or a refusal", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      for (const step of ["opened", "copied", "ordered", "closed", "complete"] satisfies ReadonlyArray<MoveStep>) {
        const failing = move(shop, west, {
          onStep: (done) => (done === step ? Effect.die(new Error(`fails after ${step}`)) : Effect.void)
        })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(failing)))
        assert.deepStrictEqual(yield* remnantsOf(shop), [], step)
      }
      assert.isTrue(
        Exit.isFailure(
          yield* Effect.exit(moveMerchant(shop.merchant.id, west, { ...atOnce, longestStop: Duration.zero }))
        )
      )
      assert.deepStrictEqual(yield* remnantsOf(shop), [])
      yield* killedAfter(shop, "compared")
      assert.isNotEmpty(yield* remnantsOf(shop), "after a kill the next run, or an abort, removes it")
      yield* abortMove(shop.merchant.id)
      assert.deepStrictEqual(yield* remnantsOf(shop), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is aborted by short waits while a former attempt holds it", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "compared")
      const { sql } = yield* databaseOf(east)
      const own = toUuid(shop.merchant.id)
      const freed = yield* heldIn(
        east,
        `select 1 from cell_east_moves.departure where merchant_id = '${own}' for update`
      )
      const aborting = yield* Effect.forkChild(abortMove(shop.merchant.id))
      const waits = sql`select extract(epoch from clock_timestamp() - query_start)::float8 as seconds
        from pg_stat_activity where wait_event_type = 'Lock' and query like ${`update %departure%${own}%`}`
      yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
      yield* Effect.sleep("1 second")
      for (const { seconds } of yield* waits) assert.isBelow(Number(seconds), 0.9)
      assert.isUndefined(aborting.pollUnsafe(), "the abort waits")
      yield* freed
      yield* Fiber.join(aborting)
      assert.deepStrictEqual(yield* remnantsOf(shop), [])
    }).pipe(Effect.scoped)
  )

  it.effect("is not ended by a former attempt that comes late: what has arrived stays known", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "arrived")
      const late = yield* newArrival(shop)
      assert.isFalse(yield* late.clean)
      assert.strictEqual(yield* late.giveUp(() => Effect.die(new Error("the former cell is opened again"))), "Arrived")
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      assert.deepStrictEqual(yield* remnantsOf(shop), [])
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("is not opened again by a former attempt that comes late: what was closed stays closed", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "closed")
      const late = yield* sidesOf(newAttempt(shop))
      assert.isFalse(yield* late.arrival.holding(late.departure.open))
      assert.isTrue(yield* late.departure.isClosed)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(late.departure.takeChanges)), "it has not taken the last ones")
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("does not open a cell that the merchant leaves for another one", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "closed")
      const { arrival, departure } = yield* sidesOf(newAttempt(shop, east))
      assert.strictEqual(yield* arrival.giveUp(departure.reopen), "GivenUp")
      assert.strictEqual(yield* countIn(east, "departure", shop), 1)
      yield* move(shop)
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("does not lead to an old copy that a restored cell says has arrived, and an abort forgets it", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      const { moves, sql } = yield* databaseOf(west)
      yield* move(shop)
      yield* move(shop, east)
      yield* sql.unsafe(`insert into "${moves}".arrival values
        ('${toUuid(shop.merchant.id)}', 'east', 'ARRIVED', '${crypto.randomUUID()}')`)
      const refused = yield* Effect.flip(move(shop))
      assert.include(String(refused), "abort the move")
      assert.deepStrictEqual(yield* holders(shop), [east])
      yield* abortMove(shop.merchant.id)
      assert.deepStrictEqual(yield* remnantsOf(shop), [])
      assert.deepStrictEqual(yield* Shop.view(shop), before)
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("keeps another run waiting until the former cell is open again", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "closed")
      const { moves, sql } = yield* databaseOf(east)
      const held = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const holding = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(
              `select 1 from "${moves}".departure where merchant_id = '${toUuid(shop.merchant.id)}' for update`
            )
            yield* Deferred.succeed(held, undefined)
            yield* Deferred.await(released)
          })
        )
      )
      yield* Deferred.await(held)
      const revoked = yield* Deferred.make<void>()
      const arrival = yield* newArrival(shop)
      yield* arrival.take
      const ending = yield* Effect.forkChild(
        arrival.giveUp(() => Effect.andThen(Deferred.succeed(revoked, undefined), Deferred.await(released)))
      )
      yield* Deferred.await(revoked)
      const other = yield* Effect.forkChild(Effect.exit(move(shop)))
      yield* Effect.sleep("200 millis")
      assert.isUndefined(other.pollUnsafe(), "the other run waits for the arrival")
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(holding)
      assert.strictEqual(yield* Fiber.join(ending), "GivenUp")
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(other)))
      assert.deepStrictEqual(yield* holders(shop), [west])
      assert.strictEqual(yield* countIn(west, "departure", shop), 0)
      yield* RefundAttempt.executed(shop.scope, shop.sale.payment, { amountMinor: 1n })
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("gives nothing up if the former cell cannot be opened: the next run goes on", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      yield* killedAfter(shop, "closed")
      const arrival = yield* newArrival(shop)
      yield* arrival.take
      assert.isTrue(Exit.isFailure(yield* Effect.exit(arrival.giveUp(() => Effect.die(new Error("the cell is down"))))))
      assert.strictEqual(yield* countIn(west, "arrival", shop), 1)
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("names each cell that has something of it", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const { names } = yield* Cells
      yield* killedAfter(shop, "copied")
      assert.includeMembers([...(yield* remnantsOf(shop))], [...names])
      yield* abortMove(shop.merchant.id)
    }).pipe(Effect.scoped)
  )
})
