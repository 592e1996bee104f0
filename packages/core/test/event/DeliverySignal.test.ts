import { assert, describe, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { Effect, Fiber } from "effect"

const signal = DeliverySignal.DeliverySignal

/** Returns true if `wait` returns without another `notify`. */
const returnsAtOnce = Effect.gen(function* () {
  const waiting = yield* Effect.forkChild((yield* signal).wait)
  yield* Effect.yieldNow
  yield* Effect.yieldNow
  const returned = waiting.pollUnsafe() !== undefined
  yield* Fiber.interrupt(waiting)
  return returned
})

const test = (name: string, body: Effect.Effect<void, never, DeliverySignal.DeliverySignal>) =>
  it.effect(name, () => Effect.provide(body, DeliverySignal.layer))

describe("the delivery signal", () => {
  test(
    "lets no waiter through before the first notification",
    Effect.gen(function* () {
      assert.isFalse(yield* returnsAtOnce)
    })
  )

  test(
    "wakes who waits",
    Effect.gen(function* () {
      const { notify, wait } = yield* signal
      const waiting = yield* Effect.forkChild(wait)
      yield* Effect.yieldNow
      yield* notify
      yield* Fiber.join(waiting)
    })
  )

  test(
    "keeps a notification that came without a waiter, and several as one",
    Effect.gen(function* () {
      const { notify } = yield* signal
      yield* notify
      yield* notify
      yield* notify
      assert.isTrue(yield* returnsAtOnce)
      assert.isFalse(yield* returnsAtOnce)
    })
  )

  test(
    "loses nothing when the one who waited gave up",
    Effect.gen(function* () {
      const { notify } = yield* signal
      assert.isFalse(yield* returnsAtOnce)
      yield* notify
      assert.isTrue(yield* returnsAtOnce)
    })
  )

  test(
    "loses no commit to a worker that waits, looks, and waits again, while others notify",
    Effect.gen(function* () {
      const { notify, wait } = yield* signal
      let committed = 0
      let seen = 0
      const worker = Effect.gen(function* () {
        while (seen < 2_000) {
          yield* wait
          const found = committed
          yield* Effect.yieldNow
          seen = Math.max(seen, found)
        }
      })
      const committer = Effect.gen(function* () {
        for (let index = 0; index < 500; index += 1) {
          committed += 1
          yield* notify
          if (index % 3 === 0) yield* Effect.yieldNow
        }
      })
      yield* Effect.all([worker, Effect.replicateEffect(committer, 4, { concurrency: 4, discard: true })], {
        concurrency: 2
      })
      assert.strictEqual(seen, 2_000)
    })
  )
})
