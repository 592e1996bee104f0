import { assert, describe, it } from "@effect/vitest"
import * as HeldTokens from "@surety/core/limit/HeldTokens"
import * as LeasedRateLimiter from "@surety/core/limit/LeasedRateLimiter"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import * as MemoryRateLimitStore from "@surety/core/memory/limit/MemoryRateLimitStore"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

/** Too slow to refill a token while a test runs. */
const slow: RateLimit = { name: "slow", perSecond: 0.001, burst: 200 }
const client = "192.0.2.1"

/** Builds a limiter over an in-memory store that responds after 10 ms, or never while `isSilent` is set. */
const makeLimiter = Effect.gen(function* () {
  const store = Context.get(yield* Layer.build(MemoryRateLimitStore.layer), RateLimitStore)
  const weather = { isSilent: false }
  const delayed = RateLimitStore.of({
    ...store,
    lease: (limit, key, demand) =>
      Effect.suspend(() =>
        weather.isSilent ? Effect.never : Effect.delay(store.lease(limit, key, demand), "10 millis")
      )
  })
  const layer = Layer.fresh(LeasedRateLimiter.layer).pipe(Layer.provide(Layer.succeed(RateLimitStore, delayed)))
  return { limiter: Context.get(yield* Layer.build(layer), RateLimiter), weather }
})

/** Starts `times` concurrent requests, which wait for a lease. */
const start = (limiter: RateLimiter["Service"], times: number, limit = slow) =>
  Effect.tap(
    Effect.forkChild(Effect.replicateEffect(limiter.take(limit, client), times, { concurrency: "unbounded" })),
    Effect.yieldNow
  )

const allowed = (limiter: RateLimiter["Service"], times: number) =>
  Effect.gen(function* () {
    const taking = yield* start(limiter, times)
    yield* TestClock.adjust("1 second")
    return (yield* Fiber.join(taking)).filter(({ isAllowed }) => isAllowed).length
  })

describe("Requests that end before their lease has come", () => {
  it.effect("leave no more tokens with this process than it may hold", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter
      const leaving = yield* start(limiter, 100)
      yield* TestClock.adjust("15 millis")
      yield* Fiber.interrupt(leaving)
      yield* TestClock.adjust("15 millis")
      assert.isAtMost((yield* limiter.peek(slow, client)).remaining, HeldTokens.mostHeld(slow))
    }).pipe(Effect.scoped)
  )

  it.effect("count like others: each takes a token", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter
      const leaving = yield* start(limiter, 100)
      yield* TestClock.adjust("15 millis")
      yield* Fiber.interrupt(leaving)
      yield* TestClock.adjust("15 millis")
      assert.strictEqual(yield* allowed(limiter, 300), 100)
    }).pipe(Effect.scoped)
  )

  it.effect("count in this process's own bucket if the store does not respond", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isSilent = true
      yield* Fiber.interrupt(yield* start(limiter, 150))
      yield* TestClock.adjust(LeasedRateLimiter.patience)
      assert.deepInclude(yield* limiter.peek(slow, client), { isAllowed: true, remaining: 50 })
      assert.strictEqual(yield* allowed(limiter, 100), 50)
    }).pipe(Effect.scoped)
  )
})

describe("Looking at the bucket of requests that wait for their lease", () => {
  it.effect("bars the client once they are as many as the bucket can hold", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isSilent = true
      yield* start(limiter, 199)
      assert.isTrue((yield* limiter.peek(slow, client)).isAllowed)
      yield* start(limiter, 1)
      const barred = { limit: slow, isAllowed: false, remaining: 0, resetMillis: 1_000 }
      assert.deepStrictEqual(yield* limiter.peek(slow, client), barred)
      assert.isTrue((yield* limiter.peek(slow, "192.0.2.2")).isAllowed, "each client for itself")
    }).pipe(Effect.scoped)
  )

  it.effect("bars the client once they are as many as the tokens that have come since it was empty", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter
      assert.strictEqual(yield* allowed(limiter, 201), 200)
      yield* TestClock.adjust("2100 seconds")
      yield* start(limiter, 1)
      assert.isTrue((yield* limiter.peek(slow, client)).isAllowed, "two have come")
      yield* TestClock.adjust("1 second")
      yield* start(limiter, 2)
      assert.isFalse((yield* limiter.peek(slow, client)).isAllowed)
      yield* TestClock.adjust("1 second")
      assert.isFalse((yield* limiter.peek(slow, client)).isAllowed, "the bucket is empty again")
    }).pipe(Effect.scoped)
  )

  it.effect("bars the client also if they were interrupted", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isSilent = true
      yield* Fiber.interrupt(yield* start(limiter, 200))
      assert.isFalse((yield* limiter.peek(slow, client)).isAllowed)
      yield* TestClock.adjust(LeasedRateLimiter.patience)
      assert.isFalse((yield* limiter.peek(slow, client)).isAllowed, "they count in this process's own bucket")
    }).pipe(Effect.scoped)
  )

  it.effect("counts them also after another client has found the store unavailable", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeLimiter
      weather.isSilent = true
      yield* Effect.forkChild(limiter.take(slow, "192.0.2.2"))
      yield* TestClock.adjust("500 millis")
      yield* start(limiter, 200)
      yield* TestClock.adjust("500 millis")
      assert.isTrue((yield* limiter.peek(slow, "192.0.2.2")).isAllowed)
      assert.isFalse((yield* limiter.peek(slow, client)).isAllowed)
    }).pipe(Effect.scoped)
  )
})
