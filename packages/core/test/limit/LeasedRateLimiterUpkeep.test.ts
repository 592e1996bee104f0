import { assert, describe, it } from "@effect/vitest"
import * as LeasedRateLimiter from "@surety/core/limit/LeasedRateLimiter"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import type { Demand, Portion } from "@surety/core/limit/TokenBucket"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Layer, Logger, References } from "effect"
import { TestClock } from "effect/testing"

const refunds: RateLimit = { name: "refunds", perSecond: 100, burst: 200 }

const gone = new StoreError({ operation: "lease", reason: new StoreUnavailable({ cause: "gone" }) })

/**
 * Builds a limiter over a store whose leases are scripted and whose `forgetFull` always fails. Captures the calls to
 * the store and the levels of the log entries.
 */
const makeLimiter = Effect.fnUntraced(function* (answer: (demand: Demand) => Effect.Effect<Portion, StoreError>) {
  const asked: Array<{ readonly limit: RateLimit; readonly key: string; readonly demand: Demand }> = []
  const logged: Array<unknown> = []
  const state = { forgettings: 0 }
  const store = RateLimitStore.of({
    lease: (limit, key, demand) =>
      Effect.suspend(() => {
        asked.push({ limit, key, demand })
        return answer(demand)
      }),
    forgetFull: Effect.suspend(() => {
      state.forgettings += 1
      return Effect.fail(gone)
    })
  })
  const log = Logger.make(({ logLevel }) => void logged.push(logLevel))
  const layer = LeasedRateLimiter.layer.pipe(
    Layer.provide(Layer.succeed(RateLimitStore, store)),
    Layer.provide(Logger.layer([log])),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Info"))
  )
  const limiter = Context.get(yield* Layer.build(Layer.fresh(layer)), RateLimiter)
  return { asked, logged, state, limiter }
})

const generous = ({ wanted }: Demand) => Effect.succeed({ tokens: wanted, remaining: 100, waitMillis: 0 })

describe("What a limiter asks of the shared buckets", () => {
  it.effect("is a token for each request that waits, and a portion to hold", () =>
    Effect.gen(function* () {
      const { asked, limiter } = yield* makeLimiter(generous)
      yield* limiter.take(refunds, "a")
      assert.deepStrictEqual(asked, [{ limit: refunds, key: "a", demand: { needed: 1, wanted: 5 } }])
      assert.strictEqual((yield* limiter.peek(refunds, "a")).remaining, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("is one lease for all requests that come while it is in flight", () =>
    Effect.gen(function* () {
      const { asked, limiter } = yield* makeLimiter((demand) => Effect.delay(generous(demand), "10 millis"))
      const takes = yield* Effect.forkChild(
        Effect.replicateEffect(limiter.take(refunds, "a"), 5, { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("9 millis")
      assert.lengthOf(asked, 1)
      assert.isTrue((yield* limiter.peek(refunds, "a")).isAllowed, "nothing is known yet")
      yield* TestClock.adjust("1 second")
      assert.isDefined(takes.pollUnsafe())
    }).pipe(Effect.scoped)
  )

  it.effect("is by the limit that holds now, when a limit was changed", () =>
    Effect.gen(function* () {
      const { asked, limiter } = yield* makeLimiter(() => Effect.succeed({ tokens: 1, remaining: 50, waitMillis: 0 }))
      yield* limiter.take(refunds, "a")
      const slower = { ...refunds, perSecond: 1 }
      assert.deepStrictEqual((yield* limiter.take(slower, "a")).limit, slower)
      assert.deepStrictEqual(asked.at(-1)?.limit, slower)
    }).pipe(Effect.scoped)
  )
})

describe("What a limiter knows", () => {
  it.effect("of a client that disconnected is dropped", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter(generous)
      yield* limiter.take(refunds, "a")
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual((yield* limiter.peek(refunds, "a")).remaining, 4)
      yield* TestClock.adjust("11 seconds")
      const unknown = { limit: refunds, isAllowed: true, remaining: 200, resetMillis: 0 }
      assert.deepStrictEqual(yield* limiter.peek(refunds, "a"), unknown)
    }).pipe(Effect.scoped)
  )

  it.effect("of a client that waits for its lease is kept", () =>
    Effect.gen(function* () {
      const { asked, limiter } = yield* makeLimiter((demand) => Effect.delay(generous(demand), "900 millis"))
      yield* TestClock.adjust("9500 millis")
      const waiting = yield* Effect.forkChild(limiter.take(refunds, "a"))
      yield* TestClock.adjust("1 second")
      assert.isDefined(waiting.pollUnsafe())
      assert.lengthOf(asked, 1)
      assert.strictEqual((yield* limiter.peek(refunds, "a")).remaining, 4)
    }).pipe(Effect.scoped)
  )

  it.effect("has the store forget its full buckets each minute or so, also after a failure", () =>
    Effect.gen(function* () {
      const { state } = yield* makeLimiter(generous)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(state.forgettings, 0)
      yield* TestClock.adjust("5 minutes")
      assert.isAtLeast(state.forgettings, 3)
      assert.isAtMost(state.forgettings, 7)
    }).pipe(Effect.scoped)
  )
})

describe("A limiter on its own", () => {
  const cutOff = Effect.gen(function* () {
    const weather = { isGone: true }
    const made = yield* makeLimiter((demand) => (weather.isGone ? Effect.fail(gone) : generous(demand)))
    yield* made.limiter.take(refunds, "a")
    return { ...made, weather }
  })

  it.effect("says what is left and when to come again", () =>
    Effect.gen(function* () {
      const { limiter } = yield* cutOff
      const passed = { limit: refunds, isAllowed: true, remaining: 198, resetMillis: 20 }
      assert.deepStrictEqual(yield* limiter.take(refunds, "a"), passed)
      yield* Effect.replicateEffect(limiter.take(refunds, "a"), 198)
      const refused = { limit: refunds, isAllowed: false, remaining: 0, resetMillis: 10 }
      assert.deepStrictEqual(yield* limiter.take(refunds, "a"), refused)
      assert.isTrue((yield* limiter.take(refunds, "b")).isAllowed, "each client for itself")
      assert.isTrue((yield* limiter.take({ ...refunds, name: "other" }, "a")).isAllowed, "each limit for itself")
    }).pipe(Effect.scoped)
  )

  it.effect("retries once a second while requests come, and logs the outage once", () =>
    Effect.gen(function* () {
      const { asked, limiter, logged, weather } = yield* cutOff
      for (let tenths = 0; tenths < 30; tenths += 1) {
        yield* limiter.take(refunds, "a")
        yield* TestClock.adjust("100 millis")
      }
      assert.lengthOf(asked, 3)
      assert.deepStrictEqual(logged, ["Warn"])
      weather.isGone = false
      yield* limiter.take(refunds, "a")
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual(logged, ["Warn", "Info"])
      yield* limiter.take(refunds, "a")
      assert.deepStrictEqual(logged, ["Warn", "Info"])
    }).pipe(Effect.scoped)
  )

  it.effect("keeps an empty bucket empty over the upkeep, and refills it at its rate", () =>
    Effect.gen(function* () {
      const slow: RateLimit = { name: "slow", perSecond: 1, burst: 20 }
      const { limiter } = yield* cutOff
      yield* Effect.replicateEffect(limiter.take(slow, "a"), 20)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* limiter.take(slow, "a")).remaining, 9)
    }).pipe(Effect.scoped)
  )
})
