import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import * as HolderMemory from "@surety/kyc-http/HolderMemory"
import * as Fresh from "@surety/testing/FreshIds"
import { Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"

const fresh = Effect.map(Fresh.now, Fresh.verificationId)

describe("HolderMemory", () => {
  it.effect("finds what was kept last, until it is forgotten", () =>
    Effect.gen(function* () {
      const memory = yield* HolderMemory.make<string>(Duration.minutes(5))
      const [one, other] = [yield* fresh, yield* fresh]
      yield* memory.keep(one, "first")
      yield* memory.keep(one, "second")
      assertEquals(yield* memory.find(one), Option.some("second"))
      assertEquals(yield* memory.find(other), Option.none())
      yield* memory.forget(one)
      assertEquals(yield* memory.find(one), Option.none())
    })
  )

  it.effect("finds nothing after its time, which begins again when it is kept again", () =>
    Effect.gen(function* () {
      const memory = yield* HolderMemory.make<string>(Duration.minutes(5))
      const [one, other] = [yield* fresh, yield* fresh]
      yield* memory.keep(one, "one")
      yield* memory.keep(other, "other")
      yield* TestClock.adjust(Duration.minutes(4))
      yield* memory.keep(one, "one again")
      yield* TestClock.adjust(Duration.minutes(1))
      assertEquals(yield* memory.find(other), Option.none())
      assertEquals(yield* memory.find(one), Option.some("one again"))
    })
  )

  it.effect("gives the oldest up when it is full", () =>
    Effect.gen(function* () {
      const memory = yield* HolderMemory.make<number>(Duration.minutes(5), 2)
      const references = [yield* fresh, yield* fresh, yield* fresh]
      for (const [index, reference] of references.entries()) yield* memory.keep(reference, index)
      const found = yield* Effect.forEach(references, memory.find)
      assert.deepStrictEqual(found.map(Option.isSome), [false, true, true])
    })
  )
})
