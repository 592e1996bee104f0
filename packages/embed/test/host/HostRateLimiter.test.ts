import { assert, describe, it } from "@effect/vitest"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter } from "@surety/core/limit/RateLimiter"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Hosted from "../../src/host/HostRateLimiter.js"
import { merchantLimits } from "../../src/rateLimitsOf.js"
import { untyped } from "./misbehavingPart.js"

const guesses: RateLimit = { name: "provisioning", perSecond: 1, burst: 5 }
const refunds: RateLimit = { name: "refunds", perSecond: 1, burst: 5 }
const guesser = "192.0.2.1 operator-token"

type Take = Hosted.HostRateLimiter["take"]

const allowing: Take = async () => ({ isAllowed: true, remaining: 1, resetMillis: 0 })
const rejecting: Take = async () => Promise.reject(new Error("down"))
const silent: Take = () => new Promise(() => {})

/** Builds the limiter over a host's limiter with a replaceable `take`. */
const makeLimiter = (take: Take) =>
  Effect.gen(function* () {
    const host = { take }
    const layer = Hosted.layer({ take: (limit, key) => host.take(limit, key) }, merchantLimits)
    return { host, limiter: Context.get(yield* Layer.build(layer), RateLimiter) }
  })

const takeTimes = (limiter: RateLimiter["Service"], times: number, limit = guesses) =>
  Effect.map(
    Effect.replicateEffect(limiter.take(limit, guesser), times),
    (verdicts) => verdicts.filter(({ isAllowed }) => isAllowed).length
  )

describe("Guesses while the host's rate limiter fails", () => {
  it.effect("are limited by this process, and bar the guesser until a token has come", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter(rejecting)
      assert.strictEqual(yield* takeTimes(limiter, 8), 5)
      const barred = { limit: guesses, isAllowed: false, remaining: 0, resetMillis: 1_000 }
      assert.deepStrictEqual(yield* limiter.peek(guesses, guesser), barred)
      assert.isTrue((yield* limiter.peek(guesses, "192.0.2.2 operator-token")).isAllowed)
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* limiter.peek(guesses, guesser), { isAllowed: true, remaining: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("count also if the host gives no valid verdict", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter(untyped(() => ({ isAllowed: "yes" })))
      assert.strictEqual(yield* takeTimes(limiter, 8), 5)
    }).pipe(Effect.scoped)
  )

  it.effect("count while they wait for a silent host, so that no more are tried than the limit allows", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter(silent)
      const trying = yield* Effect.forkChild(
        Effect.replicateEffect(limiter.take(guesses, guesser), 5, { concurrency: "unbounded" })
      )
      yield* Effect.yieldNow
      assert.isFalse((yield* limiter.peek(guesses, guesser)).isAllowed)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(trying)
      assert.isFalse((yield* limiter.peek(guesses, guesser)).isAllowed)
    }).pipe(Effect.scoped)
  )

  it.effect("count also if the guesser disconnects before the verdict", () =>
    Effect.gen(function* () {
      const { limiter } = yield* makeLimiter(silent)
      for (let time = 0; time < 5; time += 1) {
        const trying = yield* Effect.forkChild(limiter.take(guesses, guesser))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(trying)
      }
      assert.isFalse((yield* limiter.peek(guesses, guesser)).isAllowed)
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* limiter.peek(guesses, guesser), { isAllowed: true, remaining: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("go by the host's verdicts again once it gives them", () =>
    Effect.gen(function* () {
      const { host, limiter } = yield* makeLimiter(rejecting)
      assert.strictEqual(yield* takeTimes(limiter, 5), 5)
      host.take = allowing
      assert.strictEqual(yield* takeTimes(limiter, 8), 8)
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* limiter.peek(guesses, guesser), { isAllowed: true, remaining: 5 })
    }).pipe(Effect.scoped)
  )
})

describe("A merchant's requests while the host's rate limiter fails", () => {
  for (const limit of [refunds, { ...refunds, name: "other" }]) {
    it.effect(`pass: ${limit.name}`, () =>
      Effect.gen(function* () {
        const { limiter } = yield* makeLimiter(rejecting)
        assert.strictEqual(yield* takeTimes(limiter, 20, limit), 20)
        assert.isTrue((yield* limiter.peek(limit, guesser)).isAllowed)
      }).pipe(Effect.scoped)
    )
  }
})

describe("The memory of the host's rejections", () => {
  const remembered = 10_000

  const reject = (made: Effect.Success<ReturnType<typeof makeLimiter>>, client: string, millis: number) => {
    made.host.take = async () => ({ isAllowed: false, remaining: 0, resetMillis: millis })
    return made.limiter.take(guesses, client)
  }

  const makeFull = Effect.gen(function* () {
    const made = yield* makeLimiter(allowing)
    for (let client = 0; client < remembered; client += 1) {
      yield* reject(made, `${client}`, 60_000 + ((client * 7_919) % remembered))
    }
    const isBarred = (client: string) => Effect.map(made.limiter.peek(guesses, client), ({ isAllowed }) => !isAllowed)
    return { made, isBarred }
  })

  it.effect("when full, takes a new one instead of the one that ends first", () =>
    Effect.gen(function* () {
      const { isBarred, made } = yield* makeFull
      yield* reject(made, "new", 1_000)
      assert.isTrue(yield* isBarred("new"))
      assert.isFalse(yield* isBarred("0"))
      for (let client = 1; client < remembered; client += 1) assert.isTrue(yield* isBarred(`${client}`))
    }).pipe(Effect.scoped)
  )

  it.effect("when full, renews a known one", () =>
    Effect.gen(function* () {
      const { isBarred, made } = yield* makeFull
      yield* reject(made, "0", 90_000)
      yield* TestClock.adjust("80 seconds")
      assert.isTrue(yield* isBarred("0"))
      assert.isFalse(yield* isBarred("1"))
    }).pipe(Effect.scoped)
  )

  it.effect("drops those that have ended first, and then keeps all others", () =>
    Effect.gen(function* () {
      const { isBarred, made } = yield* makeFull
      yield* reject(made, "long", 600_000)
      yield* TestClock.adjust("80 seconds")
      for (let client = 0; client < remembered - 1; client += 1) yield* reject(made, `later ${client}`, 60_000)
      for (const client of ["long", "later 0", `later ${remembered - 2}`]) assert.isTrue(yield* isBarred(client))
    }).pipe(Effect.scoped)
  )
})

describe("A host's rejection that names no time", () => {
  it.effect("bars the client for as long as a token takes", () =>
    Effect.gen(function* () {
      const { host, limiter } = yield* makeLimiter(allowing)
      const barred = { limit: guesses, isAllowed: false, remaining: 0, resetMillis: 1_000 }
      for (const resetMillis of [0, -5]) {
        host.take = async () => ({ isAllowed: false, remaining: 0, resetMillis })
        assert.deepStrictEqual(yield* limiter.take(guesses, guesser), barred)
        assert.deepStrictEqual(yield* limiter.peek(guesses, guesser), barred)
        yield* TestClock.adjust("1 second")
        assert.isTrue((yield* limiter.peek(guesses, guesser)).isAllowed)
      }
    }).pipe(Effect.scoped)
  )
})
