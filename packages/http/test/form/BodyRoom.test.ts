import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { BodyRoom, BodyRoomSettings, layer, type RoomClaim } from "@surety/http/form/BodyRoom"
import { Deferred, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const settings: BodyRoomSettings = {
  bytes: 100,
  bytesOfOne: 60,
  patience: Duration.seconds(10),
  readWithin: Duration.seconds(10)
}

const room = Layer.provide(layer, Layer.succeed(BodyRoomSettings, settings))

/** Starts work that claims room and, if admitted, holds it until `end` or `interrupt` runs. */
const work = Effect.fnUntraced(function* (holder: string, bytes: number) {
  const { within } = yield* BodyRoom
  const ending = yield* Deferred.make<void>()
  const state = { isInside: false }
  const inside = Effect.sync(() => {
    state.isInside = true
  })
  const claim: RoomClaim = { holder, bytes }
  const fiber = yield* Effect.forkChild(
    within(claim, Effect.andThen(inside, Deferred.await(ending)), "crowded" as const)
  )
  yield* Effect.yieldNow
  yield* Effect.yieldNow
  return {
    isInside: () => state.isInside,
    end: Effect.andThen(Deferred.succeed(ending, undefined), Fiber.await(fiber)),
    interrupt: Fiber.interrupt(fiber),
    exit: Fiber.await(fiber)
  }
})

const settle = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow, { discard: true })

describe("Large bodies", () => {
  it.effect("are worked on together as far as their bytes go, the rest wait in their order", () =>
    Effect.gen(function* () {
      const first = yield* work("a", 50)
      const second = yield* work("b", 50)
      const third = yield* work("c", 50)
      const fourth = yield* work("d", 10)
      const insides = () => [first, second, third, fourth].map(({ isInside }) => isInside())
      assert.deepStrictEqual(insides(), [true, true, false, false])
      yield* second.end
      yield* settle
      assert.deepStrictEqual(insides(), [true, true, true, false])
      yield* first.end
      yield* settle
      assert.deepStrictEqual(insides(), [true, true, true, true])
    }).pipe(Effect.provide(room))
  )

  it.effect("of one holder take only its share: no other waits behind them", () =>
    Effect.gen(function* () {
      const slow = yield* Effect.forEach([1, 2, 3, 4], () => work("slow", 30))
      assert.deepStrictEqual(
        slow.map(({ isInside }) => isInside()),
        [true, true, false, false]
      )
      const other = yield* work("other", 40)
      assert.isTrue(other.isInside())
      const later = yield* work("later", 10)
      assert.isFalse(later.isInside(), "there is no room left")
      yield* other.end
      yield* settle
      assert.isTrue(later.isInside())
      assert.isFalse(slow[2]?.isInside())
    }).pipe(Effect.provide(room))
  )

  it.effect("are not passed forever by smaller ones", () =>
    Effect.gen(function* () {
      const first = yield* work("a", 60)
      const large = yield* work("b", 60)
      const small = yield* work("c", 10)
      assert.deepStrictEqual([large.isInside(), small.isInside()], [false, false])
      yield* first.end
      yield* settle
      assert.deepStrictEqual([large.isInside(), small.isInside()], [true, true])
    }).pipe(Effect.provide(room))
  )

  it.effect("that wait too long are sent away, and leave the way free", () =>
    Effect.gen(function* () {
      const first = yield* work("a", 60)
      const large = yield* work("b", 60)
      yield* TestClock.adjust("5 seconds")
      const small = yield* work("c", 40)
      assert.isFalse(small.isInside())
      yield* TestClock.adjust("5 seconds")
      yield* settle
      assertEquals(yield* large.exit, Exit.fail("crowded" as const))
      assert.isTrue(small.isInside())
      assert.isTrue(first.isInside())
    }).pipe(Effect.provide(room))
  )

  it.effect("give their room back when they fail, or their sender disconnects, waiting or not", () =>
    Effect.gen(function* () {
      const { within } = yield* BodyRoom
      const failed = yield* Effect.exit(within({ holder: "a", bytes: 60 }, Effect.fail("no"), "crowded"))
      assertEquals(failed, Exit.fail("no"))
      const inside = yield* work("a", 60)
      const waiting = yield* work("b", 60)
      yield* waiting.interrupt
      yield* inside.interrupt
      const whole = yield* Effect.forEach(["a", "b"], (holder) => work(holder, 50))
      assert.deepStrictEqual(
        whole.map(({ isInside }) => isInside()),
        [true, true]
      )
    }).pipe(Effect.provide(room))
  )
})
