import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Latch, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Batcher from "../../src/sql/Batcher.js"

interface Setup {
  readonly maxBatch?: number
  readonly atOnce?: number
  /** Awaited by a batch before it completes. */
  readonly gate?: Effect.Effect<void>
  /** Awaited by an input that runs alone. */
  readonly aloneGate?: Effect.Effect<void>
  readonly beside?: { readonly waiting: number; readonly slowMillis: number }
  readonly gather?: { readonly waiting: number; readonly millis: number }
  readonly limitMillis?: number
}

/**
 * Makes a batcher that upper-cases strings and records the batches it ran. `key:rest` has a key, `alone…` is returned
 * to run alone, `?` is not completed by its batch, and `!` makes its batch die.
 */
const shouting = Effect.fnUntraced(function* ({
  aloneGate = Effect.void,
  atOnce = 1,
  beside,
  gate = Effect.void,
  gather,
  limitMillis,
  maxBatch = 10
}: Setup = {}) {
  const batches: Array<ReadonlyArray<string>> = []
  const shout = yield* Batcher.make<string, string, "too late">({
    ...(beside === undefined ? {} : { beside }),
    ...(gather === undefined ? {} : { gather }),
    ...(limitMillis === undefined ? {} : { limit: { millis: limitMillis, error: () => "too late" as const } }),
    maxBatch,
    atOnce,
    aloneAtOnce: 1,
    keysOf: (text) => (text.includes(":") ? [text.slice(0, text.indexOf(":"))] : []),
    run: Effect.fnUntraced(function* (batch) {
      batches.push(batch.map(({ input }) => input))
      yield* gate
      if (batch.some(({ input }) => input === "!")) return yield* Effect.die(new Error("!"))
      const alone = batch.filter(({ input }) => input.startsWith("alone"))
      for (const { answer, input } of batch) {
        if (input !== "?" && !input.startsWith("alone")) answer(Exit.succeed(input.toUpperCase()))
      }
      return { later: [], alone }
    }),
    runAlone: (text) => Effect.as(aloneGate, `${text}!`)
  })
  return {
    shout,
    batches,
    all: (texts: ReadonlyArray<string>) => Effect.forEach(texts, shout, { concurrency: "unbounded" })
  }
})

const settle = Effect.replicateEffect(Effect.yieldNow, 10, { discard: true })

describe("a batcher", () => {
  it.effect("answers one that comes alone, alone and at once", () =>
    Effect.gen(function* () {
      const { batches, shout } = yield* shouting()
      assert.strictEqual(yield* shout("a"), "A")
      assert.deepStrictEqual(batches, [["a"]])
    })
  )

  it.effect("takes together what comes at the same time, and while it is at work", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { all, batches } = yield* shouting({ gate: gate.await, maxBatch: 3 })
      const first = yield* Effect.forkChild(all(["a", "b"]))
      yield* settle
      const second = yield* Effect.forkChild(all(["c", "d", "e", "f"]))
      yield* settle
      assert.deepStrictEqual(batches, [["a", "b"]])
      yield* gate.open
      assert.deepStrictEqual(yield* Fiber.join(first), ["A", "B"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["C", "D", "E", "F"])
      assert.deepStrictEqual(batches, [["a", "b"], ["c", "d", "e"], ["f"]])
    })
  )

  it.effect("has as many batches in flight as it may", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { all, batches } = yield* shouting({ gate: gate.await, atOnce: 2, maxBatch: 1 })
      const fiber = yield* Effect.forkChild(all(["a", "b", "c"]))
      yield* settle
      assert.deepStrictEqual(batches, [["a"], ["b"]])
      yield* gate.open
      yield* Fiber.join(fiber)
      assert.lengthOf(batches, 3)
    })
  )

  it.effect("holds a further batch back until enough inputs wait", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { all, batches, shout } = yield* shouting({
        gate: gate.await,
        atOnce: 2,
        beside: { waiting: 3, slowMillis: 10 }
      })
      const first = yield* Effect.forkChild(shout("a"))
      yield* settle
      const two = yield* Effect.forkChild(all(["b", "c"]))
      yield* settle
      assert.deepStrictEqual(batches, [["a"]])
      const third = yield* Effect.forkChild(shout("d"))
      yield* settle
      assert.deepStrictEqual(batches, [["a"], ["b", "c", "d"]])
      yield* gate.open
      yield* Fiber.joinAll([first, third])
      yield* Fiber.join(two)
    })
  )

  it.effect("starts a further batch beside a slow one, however few wait", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { batches, shout } = yield* shouting({
        gate: gate.await,
        atOnce: 2,
        beside: { waiting: 3, slowMillis: 10 }
      })
      const first = yield* Effect.forkChild(shout("a"))
      yield* settle
      const second = yield* Effect.forkChild(shout("b"))
      yield* settle
      yield* TestClock.adjust(9)
      assert.deepStrictEqual(batches, [["a"]])
      yield* TestClock.adjust(1)
      yield* settle
      assert.deepStrictEqual(batches, [["a"], ["b"]])
      yield* gate.open
      yield* Fiber.joinAll([first, second])
    })
  )

  it.effect("after a batch, waits a moment for callers who ask again", () =>
    Effect.gen(function* () {
      const { all, batches, shout } = yield* shouting({ gather: { waiting: 10, millis: 5 } })
      yield* all(["a", "b"])
      const first = yield* Effect.forkChild(shout("c"))
      yield* settle
      assert.deepStrictEqual(batches, [["a", "b"]])
      const second = yield* Effect.forkChild(shout("d"))
      yield* settle
      assert.deepStrictEqual(batches, [
        ["a", "b"],
        ["c", "d"]
      ])
      yield* Fiber.joinAll([first, second])
    })
  )

  it.effect("waits for no caller longer than that moment, nor for more of them than it may", () =>
    Effect.gen(function* () {
      const { all, batches, shout } = yield* shouting({ gather: { waiting: 2, millis: 5 } })
      yield* all(["a", "b", "c"])
      assert.strictEqual(yield* shout("d"), "D")
      yield* all(["e", "f"])
      yield* settle
      const one = yield* Effect.forkChild(shout("g"))
      yield* settle
      yield* TestClock.adjust(4)
      assert.deepStrictEqual(batches.slice(1), [["d"], ["e", "f"]])
      yield* TestClock.adjust(1)
      yield* settle
      assert.deepStrictEqual(batches.slice(3), [["g"]])
      yield* Fiber.join(one)
    })
  )

  it.effect("holds no one up who asks alone, and none once the moment is over", () =>
    Effect.gen(function* () {
      const { all, batches, shout } = yield* shouting({ gather: { waiting: 10, millis: 5 } })
      assert.strictEqual(yield* shout("a"), "A")
      assert.strictEqual(yield* shout("b"), "B")
      yield* all(["c", "d"])
      yield* settle
      yield* TestClock.adjust(5)
      assert.strictEqual(yield* shout("e"), "E")
      assert.lengthOf(batches, 4)
    })
  )

  it.effect("waits for no one once it ends", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { all } = yield* Scope.provide(shouting({ gather: { waiting: 10, millis: 5 } }), scope)
      yield* all(["a", "b"])
      yield* settle
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.effect("fails each call at its own limit, in flight or waiting, and drops what was waiting", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { batches, shout } = yield* shouting({ gate: gate.await, limitMillis: 100 })
      const running = yield* Effect.forkChild(Effect.exit(shout("a")))
      yield* settle
      yield* TestClock.adjust(60)
      const waiting = yield* Effect.forkChild(Effect.exit(shout("b")))
      yield* settle
      yield* TestClock.adjust(40)
      assert.deepStrictEqual(yield* Fiber.join(running), Exit.fail("too late" as const))
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(60)
      assert.deepStrictEqual(yield* Fiber.join(waiting), Exit.fail("too late" as const))
      yield* gate.open
      assert.strictEqual(yield* shout("c"), "C")
      assert.deepStrictEqual(batches, [["a"], ["c"]])
    })
  )

  it.effect("never works on two that share a key at the same time, and lets others pass the one that waits", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { all, batches } = yield* shouting({ gate: gate.await, atOnce: 2 })
      const fiber = yield* Effect.forkChild(all(["k:1", "k:2", "a"]))
      yield* settle
      yield* Effect.forkChild(all(["k:3", "b"]))
      yield* settle
      assert.deepStrictEqual(batches, [["k:1", "a"], ["b"]])
      yield* gate.open
      yield* Fiber.join(fiber)
      yield* settle
      assert.deepStrictEqual(batches.slice(2), [["k:2"], ["k:3"]])
    })
  )

  it.effect("leaves out what its caller took back before it was taken up, and finishes what was", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { batches, shout } = yield* shouting({ gate: gate.await })
      const running = yield* Effect.forkChild(shout("a"))
      yield* settle
      const waiting = yield* Effect.forkChild(shout("b"))
      const other = yield* Effect.forkChild(shout("c"))
      yield* settle
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      yield* gate.open
      assert.strictEqual(yield* Fiber.join(other), "C")
      assert.deepStrictEqual(batches, [["a"], ["c"]])
    })
  )

  it.effect("fails those of a batch that dies, or that is silent about one, and goes on", () =>
    Effect.gen(function* () {
      const { all, shout } = yield* shouting()
      assert.isTrue(Exit.isFailure(yield* Effect.exit(all(["a", "!"]))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(shout("?"))))
      assert.strictEqual(yield* shout("b"), "B")
    })
  )

  it.effect("takes up again what a batch gives back", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const oneAtATime = yield* Batcher.make<string, string, never>({
        maxBatch: 10,
        atOnce: 1,
        aloneAtOnce: 1,
        keysOf: () => [],
        runAlone: Effect.succeed,
        run: ([first, ...rest]) =>
          Effect.sync(() => {
            sizes.push(rest.length + 1)
            first?.answer(Exit.succeed(first.input))
            return { later: rest, alone: [] }
          })
      })
      const answers = yield* Effect.forEach(["a", "b", "c"], oneAtATime, { concurrency: "unbounded" })
      assert.deepStrictEqual(answers, ["a", "b", "c"])
      assert.deepStrictEqual(sizes, [3, 2, 1])
    })
  )

  it.effect("runs alone what a batch returns for that, without being delayed by it", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const { all, batches } = yield* shouting({ aloneGate: gate.await })
      const slow = yield* Effect.forkChild(all(["alone:1", "alone:2", "alone"]))
      yield* settle
      const same = yield* Effect.forkChild(all(["alone:3"]))
      assert.deepStrictEqual(yield* all(["a", "b"]), ["A", "B"])
      assert.deepStrictEqual(batches, [
        ["alone:1", "alone"],
        ["a", "b"]
      ])
      yield* gate.open
      assert.deepStrictEqual(yield* Fiber.join(slow), ["alone:1!", "alone:2!", "alone!"])
      assert.deepStrictEqual(yield* Fiber.join(same), ["alone:3!"])
    })
  )

  it.effect("ends when all that it took on is answered", () =>
    Effect.gen(function* () {
      const gate = Latch.makeUnsafe(false)
      const scope = yield* Scope.make()
      const setup = { gate: gate.await, aloneGate: gate.await, maxBatch: 1 }
      const { all } = yield* Scope.provide(shouting(setup), scope)
      const fiber = yield* Effect.forkChild(all(["a", "alone", "b"]))
      yield* settle
      const closed = yield* Deferred.make<void>()
      yield* Effect.forkChild(Effect.andThen(Scope.close(scope, Exit.void), Deferred.succeed(closed, undefined)))
      yield* settle
      assert.isFalse(yield* Deferred.isDone(closed))
      yield* gate.open
      yield* Deferred.await(closed)
      assert.deepStrictEqual(yield* Fiber.join(fiber), ["A", "alone!", "B"])
    })
  )
})
