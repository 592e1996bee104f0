import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { HostRequestOutcome } from "@surety/core/host/HostRequest"
import { HostRequestStore } from "@surety/core/host/HostRequestStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as Fresh from "@surety/testing/FreshIds"
import { newRequest } from "@surety/testing/host/FreshHostRequest"
import { Context, Effect, Exit, Option } from "effect"
import * as TestCells from "../TestCells.js"
import { layer, move } from "./Moving.js"
import * as Shop from "./Shop.js"

const { east, west } = TestCells

const died = new StoreError({
  operation: "HostRequestStore.settle",
  reason: new StoreUnavailable({ cause: new Error("the process died") })
})

it.layer(layer, { timeout: 180_000, excludeTestServices: true })("a host's queued call", (it) => {
  it.effect("is done once, although its merchant moved after the work was committed and before it was known", () =>
    Effect.gen(function* () {
      const requests = yield* HostRequestStore
      const consumers = yield* ConsumerStore
      const merchant = yield* Shop.merchantIn(west)
      const consumer = yield* FreshConsumer.unstored("TEST")
      assert.isTrue(yield* consumers.insert(consumer, undefined))
      const { environment, userId } = consumer
      const request = newRequest()
      yield* requests.enqueue(request)
      const now = yield* Fresh.now
      const lease = Effect.fnUntraced(function* (after: number) {
        const at = Fresh.later(now, after)
        const claimed = yield* requests.claim({ now: at, leasedUntil: Fresh.later(at, 1_000), limit: 1_000 })
        return claimed.find(({ key }) => key === request.key) ?? assert.fail("it is due")
      })
      const done: HostRequestOutcome = { _tag: "Done", result: { id: "made" } }
      let runs = 0
      const work = consumers.link({ merchantId: merchant.id, environment, userId, createdAt: now }).pipe(
        Effect.andThen(
          Effect.sync(() => {
            runs += 1
            return done
          })
        )
      )
      const first = yield* lease(60_000)
      const home = Context.get(yield* TestCells.storesOf(east), HostRequestStore)
      const exit = yield* Effect.exit(
        home.settle(first, now, Effect.andThen(requests.settle(first, now, work), Effect.fail(died)))
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.strictEqual(runs, 1)
      yield* move({ merchant }, east)
      const again = yield* lease(120_000)
      assertEquals(yield* requests.settle(again, now, work), Option.some(done))
      assert.strictEqual(runs, 1)
      assert.isTrue(yield* consumers.isLinked(merchant.id, environment, userId))
      assert.strictEqual(Option.getOrThrow(yield* requests.find(request.key)).status, "DONE")
    }).pipe(Effect.scoped)
  )
})
