import { assert, describe, it } from "@effect/vitest"
import * as LeasedRateLimiter from "@surety/core/limit/LeasedRateLimiter"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter, type RateVerdict } from "@surety/core/limit/RateLimiter"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import * as MemoryRateLimitStore from "@surety/core/memory/limit/MemoryRateLimitStore"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

const refunds: RateLimit = { name: "refunds", perSecond: 100, burst: 200 }
const shop = "merchant_shop TEST"

interface Weather {
  leases: number
  isGone: boolean
  isSilent: boolean
}

/** Builds an in-memory store that counts leases. It can be made to fail or never respond. */
const makeStore = Effect.gen(function* () {
  const store = Context.get(yield* Layer.build(MemoryRateLimitStore.layer), RateLimitStore)
  const weather: Weather = { leases: 0, isGone: false, isSilent: false }
  const counting = RateLimitStore.of({
    ...store,
    lease: (limit, key, demand) =>
      Effect.suspend(() => {
        weather.leases += 1
        if (weather.isSilent) return Effect.never
        return weather.isGone
          ? Effect.fail(new StoreError({ operation: "lease", reason: new StoreUnavailable({ cause: "gone" }) }))
          : store.lease(limit, key, demand)
      })
  })
  return { counting, weather }
})

const makeProcess = (store: RateLimitStore["Service"]) =>
  Effect.map(
    Layer.build(Layer.fresh(LeasedRateLimiter.layer).pipe(Layer.provide(Layer.succeed(RateLimitStore, store)))),
    (context) => Context.get(context, RateLimiter)
  )

const makeOne = Effect.gen(function* () {
  const { counting, weather } = yield* makeStore
  return { limiter: yield* makeProcess(counting), weather }
})

const allowedOf = (verdicts: ReadonlyArray<RateVerdict>): number => verdicts.filter(({ isAllowed }) => isAllowed).length

const takeTimes = (limiter: RateLimiter["Service"], times: number, key = shop, limit = refunds) =>
  Effect.map(Effect.replicateEffect(limiter.take(limit, key), times), allowedOf)

const takeAtOnce = (limiter: RateLimiter["Service"], times: number, key = shop) =>
  Effect.map(Effect.replicateEffect(limiter.take(refunds, key), times, { concurrency: "unbounded" }), allowedOf)

describe("The rate limiter", () => {
  it.effect("lets a burst through, refuses what is more, and tells when to come again", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeOne
      assert.strictEqual(yield* takeTimes(limiter, 250), 200)
      const refused = yield* limiter.take(refunds, shop)
      assert.deepInclude(refused, { isAllowed: false, remaining: 0 })
      assert.isAbove(refused.resetMillis, 0)
      assert.isAtMost(refused.resetMillis, 100)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* takeTimes(limiter, 150), 100)
    }).pipe(Effect.scoped)
  )

  it.effect("lets as many through when all come at once", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeOne
      assert.strictEqual(yield* takeAtOnce(limiter, 300), 200)
    }).pipe(Effect.scoped)
  )

  it.effect("counts each client and each limit for itself: one who floods takes nothing from others", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeOne
      assert.strictEqual(yield* takeAtOnce(limiter, 5_000), 200)
      assert.strictEqual(yield* takeTimes(limiter, 200, "merchant_other TEST"), 200)
      assert.strictEqual(yield* takeTimes(limiter, 200, "merchant_shop LIVE"), 200)
      assert.strictEqual(yield* takeTimes(limiter, 200, shop, { ...refunds, name: "other" }), 200)
    }).pipe(Effect.scoped)
  )

  it.effect("lets no more through in several processes together than in one", () =>
    Effect.gen(function* () {
      const { counting } = yield* makeStore
      const processes = yield* Effect.replicateEffect(makeProcess(counting), 4)
      const round = Effect.map(
        Effect.forEach(processes, (limiter) => takeAtOnce(limiter, 200), { concurrency: "unbounded" }),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      )
      let through = yield* round
      assert.strictEqual(through, 200)
      for (let second = 1; second <= 10; second += 1) {
        yield* TestClock.adjust("1 second")
        through += yield* round
        assert.isAtMost(through, 200 + second * 100)
      }
      assert.isAtLeast(through, 200 + 10 * 100 - processes.length * 10)
    }).pipe(Effect.scoped)
  )

  it.effect("asks the store a few times for many requests, at any rate", () =>
    Effect.gen(function* () {
      for (const { everyMillis, leases } of [
        { everyMillis: 10, leases: 130 },
        { everyMillis: 100, leases: 180 },
        { everyMillis: 1_000, leases: 260 }
      ]) {
        const { limiter, weather } = yield* makeOne
        for (let request = 0; request < 1_000; request += 1) {
          assert.isTrue((yield* limiter.take(refunds, shop)).isAllowed)
          yield* TestClock.adjust(everyMillis)
        }
        assert.isAtMost(weather.leases, leases, `${everyMillis} ms`)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("refuses from memory while the bucket is empty", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeOne
      yield* takeAtOnce(limiter, 200)
      yield* limiter.take(refunds, shop)
      const asked = weather.leases
      assert.strictEqual(yield* takeTimes(limiter, 1_000), 0)
      assert.strictEqual(weather.leases, asked)
    }).pipe(Effect.scoped)
  )

  it.effect("loses at most a twentieth of a burst with a process that dies", () =>
    Effect.gen(function* () {
      const { counting } = yield* makeStore
      yield* Effect.scoped(Effect.flatMap(makeProcess(counting), (dying) => takeTimes(dying, 100)))
      const left = yield* takeTimes(yield* makeProcess(counting), 200)
      assert.isAtMost(left, 100)
      assert.isAtLeast(left, 90)
    }).pipe(Effect.scoped)
  )

  it.effect("goes on when the clock is set back, in this process and in the store", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeOne
      yield* TestClock.setTime(3_600_000)
      assert.strictEqual(yield* takeTimes(limiter, 250), 200)
      yield* TestClock.setTime(0)
      yield* limiter.take(refunds, shop)
      yield* TestClock.adjust("2 seconds")
      assert.isAtLeast(yield* takeTimes(limiter, 250), 195)
      assert.isAtMost(yield* Clock.currentTimeMillis, 2_000)
    }).pipe(Effect.scoped)
  )

  it.effect("returns what is left, as far as it knows, and when all of it is there again", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeOne
      const first = yield* limiter.take(refunds, shop)
      assert.deepStrictEqual(first, { limit: refunds, isAllowed: true, remaining: 199, resetMillis: 10 })
      const second = yield* limiter.take(refunds, shop)
      assert.deepInclude(second, { remaining: 198, resetMillis: 20 })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* limiter.take(refunds, shop), { remaining: 200 })
    }).pipe(Effect.scoped)
  )

  it.effect("can be asked without a token being taken", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeOne
      assert.isTrue((yield* limiter.peek(refunds, shop)).isAllowed)
      assert.strictEqual(weather.leases, 0)
      yield* takeAtOnce(limiter, 201)
      assert.deepInclude(yield* limiter.peek(refunds, shop), { isAllowed: false, remaining: 0 })
      yield* TestClock.adjust("1 second")
      assert.isTrue((yield* limiter.peek(refunds, shop)).isAllowed)
    }).pipe(Effect.scoped)
  )
})

describe("The rate limiter without its store", () => {
  for (const how of ["isGone", "isSilent"] as const) {
    it.effect(`limits in this process alone, and shares again when the store is back (${how})`, () =>
      Effect.gen(function* () {
        const { limiter, weather } = yield* makeOne
        weather[how] = true
        const waiting = yield* Effect.forkChild(limiter.take(refunds, shop))
        if (how === "isSilent") yield* TestClock.adjust(LeasedRateLimiter.patience)
        assert.isTrue((yield* Fiber.join(waiting)).isAllowed)
        assert.strictEqual(yield* takeTimes(limiter, 300), 199)
        assert.isAtMost(weather.leases, 1)
        weather[how] = false
        yield* TestClock.adjust(LeasedRateLimiter.aloneFor)
        yield* limiter.take(refunds, shop)
        yield* TestClock.adjust("10 millis")
        const asked = weather.leases
        assert.strictEqual(asked, 2)
        assert.isAbove(yield* takeTimes(limiter, 300), 150)
        assert.isAbove(weather.leases, asked)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("says what is left and when all of it is there again", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeOne
      weather.isGone = true
      const first = yield* limiter.take(refunds, shop)
      assert.deepStrictEqual(first, { limit: refunds, isAllowed: true, remaining: 199, resetMillis: 10 })
      assert.deepInclude(yield* limiter.take(refunds, shop), { remaining: 198, resetMillis: 20 })
    }).pipe(Effect.scoped)
  )

  it.effect("asks a silent store once a second, however many clients there are", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeOne
      weather.isSilent = true
      const first = yield* Effect.forkChild(limiter.take(refunds, shop))
      yield* TestClock.adjust(LeasedRateLimiter.patience)
      yield* Fiber.join(first)
      yield* TestClock.adjust(LeasedRateLimiter.aloneFor)
      for (let client = 0; client < 50; client += 1) yield* limiter.take(refunds, `merchant_${client} TEST`)
      assert.strictEqual(weather.leases, 2)
    }).pipe(Effect.scoped)
  )
})

describe("The rate limiter's next lease", () => {
  it.effect("is asked for with the last token, before a request has to wait for it", () =>
    Effect.gen(function* () {
      const { limiter, weather } = yield* makeOne
      yield* takeTimes(limiter, 4)
      assert.strictEqual(weather.leases, 1)
      yield* limiter.take(refunds, shop)
      yield* Effect.yieldNow
      assert.strictEqual(weather.leases, 2)
    }).pipe(Effect.scoped)
  )
})
