import { assert, it } from "@effect/vitest"
import { CellDirectory } from "@surety/cells/directory/CellDirectory"
import { MoveFailed, type MoveStep } from "@surety/cells/move/MoveFailed"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Duration, Effect, Exit, Fiber, Schema } from "effect"
import * as TestCells from "../TestCells.js"
import { heldIn, holders, layer, move, sound } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const isCutShort = Schema.is(MoveFailed)

const refunded = ({ sale, scope }: Shop.Shop) =>
  Effect.exit(RefundAttempt.executed(scope, sale.payment, { amountMinor: 1n }))

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a move refuses writes", (it) => {
  it.effect("for no backup of the other cell: it waits before", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const ended = yield* heldIn(west, "lock table cell_west.event_order in access share mode")
      const steps: Array<MoveStep> = []
      const moving = yield* Effect.forkChild(
        move(shop, west, { onStep: (step) => Effect.sync(() => steps.push(step)) })
      )
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => steps.includes("caughtUp") })
      yield* Effect.sleep("600 millis")
      assert.isUndefined(moving.pollUnsafe(), "the move waits")
      assert.strictEqual(steps.at(-1), "caughtUp")
      assert.isTrue(Exit.isSuccess(yield* refunded(shop)), "and the merchant's writes go on")
      yield* ended
      yield* Fiber.join(moving)
      assert.deepStrictEqual(yield* holders(shop), [west])
      yield* sound
    }).pipe(Effect.scoped)
  )

  it.effect("for no longer than it may: then it gives itself up, also as the rows are stored", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.make(east)
      const before = yield* Shop.view(shop)
      const stopped = Effect.fnUntraced(function* (slow: Effect.Effect<void>) {
        const failure = yield* Effect.flip(
          move(shop, west, {
            longestStop: Duration.seconds(1),
            onStep: (step) => (step === "complete" ? slow : Effect.void)
          })
        )
        assert.isTrue(isCutShort(failure), String(failure))
        assert.include(String(failure), "for more than 1s")
        assert.deepStrictEqual(yield* (yield* CellDirectory).moves, [])
        assert.deepStrictEqual(yield* holders(shop), [east])
        assert.isTrue(Exit.isSuccess(yield* refunded(shop)))
      })
      yield* stopped(Effect.sleep("10 seconds"))
      const ended = yield* heldIn(west, "lock table cell_west.merchant in exclusive mode")
      yield* stopped(Effect.void)
      yield* ended
      yield* move(shop)
      assert.deepStrictEqual(yield* holders(shop), [west])
      assert.strictEqual((yield* Shop.view(shop)).refunds.length, before.refunds.length + 2)
      yield* sound
    }).pipe(Effect.scoped)
  )
})
