import { assert, describe, it } from "@effect/vitest"
import * as LeasedRateLimiter from "@surety/core/limit/LeasedRateLimiter"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import * as MemoryRateLimitStore from "@surety/core/memory/limit/MemoryRateLimitStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const guesses: RateLimit = { name: "guesses", perSecond: 1, burst: 5 }
const guesser = "192.0.2.1"

/** Builds a limiter over an in-memory store that can be made to fail. */
const makeLimiter = Effect.gen(function* () {
  const store = Context.get(yield* Layer.build(MemoryRateLimitStore.layer), RateLimitStore)
  const weather = { isGone: false }
  const gone = new StoreError({ operation: "lease", reason: new StoreUnavailable({ cause: "gone" }) })
  const failing = RateLimitStore.of({
    ...store,
    lease: (limit, key, demand) =>
      Effect.suspend(() => (weather.isGone ? Effect.fail(gone) : store.lease(limit, key, demand)))
  })
  const layer = Layer.fresh(LeasedRateLimiter.layer).pipe(Layer.provide(Layer.succeed(RateLimitStore, failing)))
  return { limiter: Context.get(yield* Layer.build(layer), RateLimiter), weather }
})

const guess = (limiter: RateLimiter["Service"], times: number) =>
  Effect.replicateEffect(limiter.take(guesses, guesser), times)

describe("Looking at a bucket while the store is unavailable", () => {
  it.effect("bars a client that has used up this process's own bucket, until a token has come", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isGone = true
      yield* guess(limiter, 5)
      const barred = { limit: guesses, isAllowed: false, remaining: 0, resetMillis: 1_000 }
      assert.deepStrictEqual(yield* limiter.peek(guesses, guesser), barred)
      assert.isTrue((yield* limiter.peek(guesses, "192.0.2.2")).isAllowed, "each client for itself")
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* limiter.peek(guesses, guesser), { isAllowed: true, remaining: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("takes no token, and says what is left", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isGone = true
      yield* guess(limiter, 2)
      for (let look = 0; look < 10; look += 1) {
        assert.deepInclude(yield* limiter.peek(guesses, guesser), { isAllowed: true, remaining: 3 })
      }
      assert.deepInclude(yield* limiter.peek(guesses, "192.0.2.2"), { isAllowed: true, remaining: 5 })
      assert.strictEqual((yield* limiter.take(guesses, guesser)).remaining, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("agrees with taking, also of a client whose shared bucket was empty before", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      yield* guess(limiter, 6)
      assert.isFalse((yield* limiter.peek(guesses, guesser)).isAllowed)
      weather.isGone = true
      yield* limiter.take(guesses, "192.0.2.2")
      assert.isTrue((yield* limiter.peek(guesses, guesser)).isAllowed)
      assert.isTrue((yield* limiter.take(guesses, guesser)).isAllowed)
    }).pipe(Effect.scoped)
  )

  it.effect("gives a client no new bucket with the next outage", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isGone = true
      yield* guess(limiter, 5)
      yield* TestClock.adjust(LeasedRateLimiter.aloneFor)
      weather.isGone = false
      yield* limiter.take(guesses, "192.0.2.2")
      yield* TestClock.adjust("1 millis")
      assert.isTrue((yield* limiter.take(guesses, guesser)).isAllowed, "the shared bucket is full")
      weather.isGone = true
      yield* limiter.take(guesses, "192.0.2.3")
      assert.deepInclude(yield* limiter.peek(guesses, guesser), { isAllowed: true, remaining: 1 })
    }).pipe(Effect.scoped)
  )
})

describe("The end of an outage", () => {
  it.effect("brings back no token that was leased before it", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      const refunds: RateLimit = { name: "refunds", perSecond: 100, burst: 200 }
      yield* TestClock.adjust("5 seconds")
      yield* limiter.take(refunds, "a")
      assert.strictEqual((yield* limiter.peek(refunds, "a")).remaining, 4)
      weather.isGone = true
      yield* limiter.take(refunds, "b")
      yield* TestClock.adjust("9 seconds")
      weather.isGone = false
      yield* TestClock.adjust("1 second")
      yield* limiter.take(refunds, "a")
      yield* Effect.yieldNow
      assert.strictEqual((yield* limiter.peek(refunds, "a")).remaining, 0)
    }).pipe(Effect.scoped)
  )
})
