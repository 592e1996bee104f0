import { assert, it } from "@effect/vitest"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { abortMove } from "@surety/cells/move/abortMove"
import type { MoveStep } from "@surety/cells/move/MoveFailed"
import { toUuid } from "@surety/core/Ids"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Deferred, Effect, Exit, Fiber } from "effect"
import * as TestCells from "../TestCells.js"
import { atOnce, databaseOf, holders, killedAfter, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const switching = <A, E, R>(
  run: Effect.Effect<A, E, R>,
  change: (switchMove: CellDirectory["Service"]["switchMove"]) => CellDirectory["Service"]["switchMove"]
) =>
  Effect.flatMap(CellDirectory, (directory) =>
    Effect.provideService(run, CellDirectory, { ...directory, switchMove: change(directory.switchMove) })
  )

const down = new StoreError({
  operation: "switchMove",
  reason: new StoreUnavailable({ cause: new Error("the directory fails over") })
})

const refunded = ({ sale, scope }: Shop.Shop) =>
  Effect.exit(RefundAttempt.executed(scope, sale.payment, { amountMinor: 1n }))

/**
 * Moves the shop to a target cell that is cut off. The move fails before or while the target stores the rows, depending
 * on `fails`. Returns true if the merchant can still write in its source cell.
 */
const cutOff = Effect.fnUntraced(function* (shop: Shop.Shop, fails: "Before" | "Storing") {
  const { moves, sql } = yield* databaseOf(west)
  const cut = Effect.andThen(
    Effect.orDie(sql.unsafe(`alter table "${moves}".arrival rename to lost`)),
    fails === "Before" ? Effect.die(new Error("the cell is down")) : Effect.void
  )
  const exit = yield* Effect.exit(move(shop, west, { onStep: (done) => (done === "complete" ? cut : Effect.void) }))
  assert.isTrue(Exit.isFailure(exit))
  const former = yield* databaseOf(east)
  const departures = yield* former.sql.unsafe(
    `select 1 from "${former.moves}".departure where merchant_id = '${toUuid(shop.merchant.id)}'`
  )
  const isOpen = Exit.isSuccess(yield* refunded(shop))
  yield* sql.unsafe(`alter table "${moves}".lost rename to arrival`)
  assert.strictEqual(departures.length === 0, isOpen)
  return isOpen
}, Effect.scoped)

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a merchant that has arrived", (it) => {
  it.effect("is led to as soon as the directory answers again", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      let calls = 0
      yield* switching(move(shop), (switchMove) => (given) => {
        calls += 1
        return calls < 3 ? Effect.fail(down) : switchMove(given)
      })
      assert.strictEqual(calls, 3)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    })
  )

  it.effect("is led to although the run is interrupted", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const reached = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      const run = yield* Effect.forkChild(
        switching(
          move(shop),
          (switchMove) => (given) =>
            Deferred.succeed(reached, undefined).pipe(
              Effect.andThen(Deferred.await(answered)),
              Effect.andThen(switchMove(given))
            )
        )
      )
      yield* Deferred.await(reached)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(run))
      yield* Effect.sleep("100 millis")
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(interrupting)
      const open = (yield* (yield* CellDirectory).moves).filter(({ merchantId }) => merchantId === shop.merchant.id)
      assert.deepStrictEqual(
        open.map(({ isSwitched }) => isSwitched),
        [true]
      )
      assert.isTrue(Exit.isSuccess(yield* refunded(shop)))
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    })
  )

  it.effect("has its move ended by an abort", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      for (const step of ["arrived", "switched", "started", "left", "cleaned"] satisfies ReadonlyArray<MoveStep>) {
        yield* killedAfter(shop, step)
        const refused = yield* Effect.flip(abortMove(shop.merchant.id, undefined, atOnce))
        assert.include(String(refused), "that move is now complete", step)
        assert.deepStrictEqual(yield* holders(shop), [west], step)
        assert.deepStrictEqual(yield* (yield* CellDirectory).moves, [], step)
        assert.isTrue(Exit.isSuccess(yield* refunded(shop)), step)
        yield* move(shop, east)
      }
      yield* sound
    }).pipe(Effect.scoped)
  )
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a move whose target does not answer", (it) => {
  it.effect("lets the merchant write where it was, unless the target may have stored it", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      assert.isTrue(yield* cutOff(shop, "Before"))
      assert.isFalse(yield* cutOff(shop, "Storing"))
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      assert.isTrue(Exit.isSuccess(yield* refunded(shop)))
      yield* sound
    })
  )
})
