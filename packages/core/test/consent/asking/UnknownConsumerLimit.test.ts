import { assert, describe, it } from "@effect/vitest"
import { layer, limit, UnknownConsumerLimit } from "@surety/core/consent/asking/UnknownConsumerLimit"
import * as MemoryRateLimitStore from "@surety/core/memory/limit/MemoryRateLimitStore"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Sample from "../ConsentSamples.js"

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
    }).pipe(Effect.provide(Layer.provide(layer, MemoryRateLimitStore.layer)))
  )

  it.effect("counts each merchant and environment apart", () =>
    Effect.gen(function* () {
      const { check, count } = yield* UnknownConsumerLimit
      yield* Effect.flip(Effect.forEach(Array.from({ length: limit + 1 }), () => count(Sample.scope)))
      yield* check({ ...Sample.scope, environment: "LIVE" })
      yield* count({ ...Sample.scope, environment: "LIVE" })
    }).pipe(Effect.provide(Layer.provide(layer, MemoryRateLimitStore.layer)))
  )

  it.effect("counts for all processes, and each learns within a second that the limit is passed", () =>
    Effect.gen(function* () {
      const process = Effect.map(Layer.build(Layer.fresh(layer)), (built) => Context.get(built, UnknownConsumerLimit))
      const [one, other] = [yield* process, yield* process]
      yield* other.check(Sample.scope)
      for (let named = 0; named < limit / 2; named += 1) {
        yield* one.count(Sample.scope)
        yield* other.count(Sample.scope)
      }
      yield* Effect.flip(one.count(Sample.scope))
      yield* Effect.flip(one.check(Sample.scope))
      yield* TestClock.adjust("1 seconds")
      assert.deepInclude(yield* Effect.flip(other.check(Sample.scope)), { retryAfterSeconds: 59 })
      yield* TestClock.adjust("59 seconds")
      yield* one.check(Sample.scope)
      yield* other.count(Sample.scope)
    }).pipe(Effect.provide(MemoryRateLimitStore.layer))
  )
})
