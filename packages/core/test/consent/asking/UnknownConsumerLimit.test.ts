import { assert, describe, it } from "@effect/vitest"
import { layer, UnknownConsumerLimit, unknownConsumerLimit } from "@surety/core/consent/asking/UnknownConsumerLimit"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import { refusedRequests } from "@surety/core/limit/RefusedRequests"
import * as MemoryRateLimitStore from "@surety/core/memory/limit/MemoryRateLimitStore"
import { Context, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import * as Sample from "../ConsentSamples.js"

describe("The limit of unknown consumers", () => {
  it.effect("lets a merchant name 20 a minute, and refuses everything after one more until the minute is over", () =>
    Effect.gen(function* () {
      const { check, count } = yield* UnknownConsumerLimit
      for (let named = 0; named < unknownConsumerLimit; named += 1) {
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
      yield* Effect.flip(Effect.forEach(Array.from({ length: unknownConsumerLimit + 1 }), () => count(Sample.scope)))
      yield* check({ ...Sample.scope, environment: "LIVE" })
      yield* count({ ...Sample.scope, environment: "LIVE" })
    }).pipe(Effect.provide(Layer.provide(layer, MemoryRateLimitStore.layer)))
  )

  it.effect("counts for all processes, and each learns within a second that the limit is passed", () =>
    Effect.gen(function* () {
      const process = Effect.map(Layer.build(Layer.fresh(layer)), (built) => Context.get(built, UnknownConsumerLimit))
      const [one, other] = [yield* process, yield* process]
      yield* other.check(Sample.scope)
      for (let named = 0; named < unknownConsumerLimit / 2; named += 1) {
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

  /** Builds the limit over shared buckets. Records the key of each call to the buckets. */
  const counted = Effect.gen(function* () {
    const shared = yield* RateLimitStore
    const asked: Array<string> = []
    const limit = yield* Effect.map(Layer.build(Layer.fresh(layer)), (built) =>
      Context.get(built, UnknownConsumerLimit)
    ).pipe(
      Effect.provideService(RateLimitStore, {
        ...shared,
        lease: (bucket, key, demand) => {
          asked.push(key)
          return shared.lease(bucket, key, demand)
        }
      })
    )
    return { ...limit, asked }
  })

  it.effect("asks the shared bucket once a second, and not at all once it is over", () =>
    Effect.gen(function* () {
      const { asked, check, count } = yield* counted
      yield* check(Sample.scope)
      yield* check(Sample.scope)
      yield* TestClock.adjust("999 millis")
      yield* check(Sample.scope)
      assert.lengthOf(asked, 1)
      yield* TestClock.adjust("1 millis")
      yield* check(Sample.scope)
      assert.lengthOf(asked, 2)
      yield* Effect.flip(Effect.forEach(Array.from({ length: unknownConsumerLimit + 1 }), () => count(Sample.scope)))
      const before = asked.length
      yield* TestClock.adjust("10 seconds")
      yield* Effect.flip(check(Sample.scope))
      assert.lengthOf(asked, before)
    }).pipe(Effect.provide(MemoryRateLimitStore.layer))
  )

  it.effect("goes by the minutes of the clock, also if it is put back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2030, 0, 1, 12, 0, 50))
      const { asked, check, count } = yield* counted
      yield* Effect.flip(Effect.forEach(Array.from({ length: unknownConsumerLimit + 1 }), () => count(Sample.scope)))
      yield* TestClock.adjust("9999 millis")
      yield* Effect.flip(check(Sample.scope))
      yield* TestClock.adjust("1 millis")
      yield* check(Sample.scope)
      assert.strictEqual(asked.at(-1)?.endsWith(` ${Date.UTC(2030, 0, 1, 12, 1)}`), true)
      yield* TestClock.setTime(Date.UTC(2030, 0, 1, 11, 30, 10))
      yield* check(Sample.scope)
      assert.strictEqual(asked.at(-1)?.endsWith(` ${Date.UTC(2030, 0, 1, 11, 30)}`), true)
      const before = asked.length
      yield* TestClock.adjust("500 millis")
      yield* check(Sample.scope)
      assert.lengthOf(asked, before)
    }).pipe(Effect.provide(MemoryRateLimitStore.layer))
  )

  it.effect("counts what it refuses, under its name, and says when to retry", () =>
    Effect.gen(function* () {
      const { count } = yield* UnknownConsumerLimit
      const refused = Metric.value(Metric.withAttributes(refusedRequests, { policy: "unknown-consumers" }))
      const before = (yield* refused).count
      const { message } = yield* Effect.flip(
        Effect.forEach(Array.from({ length: unknownConsumerLimit + 1 }), () => count(Sample.scope))
      )
      assert.strictEqual(message, "Too many requests for unknown consumers; retry in 60 s.")
      assert.strictEqual((yield* refused).count, before + 1)
    }).pipe(Effect.provide(Layer.provide(layer, MemoryRateLimitStore.layer)))
  )
})
