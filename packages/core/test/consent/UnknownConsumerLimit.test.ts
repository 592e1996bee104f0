import { assert, describe, it } from "@effect/vitest"
import { layer, limit, UnknownConsumerLimit } from "@surety/core/consent/UnknownConsumerLimit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Sample from "./ConsentSamples.js"

describe("The limit of unknown consumers", () => {
  it.effect("lets a merchant name 20 a minute, and refuses everything after one more until the minute is over", () =>
    Effect.gen(function* () {
      const { check, count } = yield* UnknownConsumerLimit
      for (let named = 0; named < limit; named += 1) {
        yield* check(Sample.scope)
        yield* count(Sample.scope)
      }
      yield* check(Sample.scope)
      yield* TestClock.adjust("15 seconds")
      const oneTooMany = yield* Effect.flip(count(Sample.scope))
      assert.deepInclude(oneTooMany, { _tag: "TooManyUnknownConsumers", retryAfterSeconds: 45 })
      assert.deepInclude(yield* Effect.flip(check(Sample.scope)), { retryAfterSeconds: 45 })
      yield* TestClock.adjust("44999 millis")
      assert.deepInclude(yield* Effect.flip(check(Sample.scope)), { retryAfterSeconds: 1 })
      yield* TestClock.adjust("1 millis")
      yield* check(Sample.scope)
      yield* count(Sample.scope)
    }).pipe(Effect.provide(layer))
  )

  it.effect("counts each merchant and environment apart", () =>
    Effect.gen(function* () {
      const { check, count } = yield* UnknownConsumerLimit
      yield* Effect.flip(Effect.forEach(Array.from({ length: limit + 1 }), () => count(Sample.scope)))
      yield* check({ ...Sample.scope, environment: "LIVE" })
      yield* count({ ...Sample.scope, environment: "LIVE" })
    }).pipe(Effect.provide(layer))
  )
})
