import { assert } from "@effect/vitest"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import type { Portion } from "@surety/core/limit/TokenBucket"
import type { Layer } from "effect"
import { Clock, Effect, Exit } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone, suiteOf } from "../Law.js"

/** Slow enough that no token is added while a law runs. */
const slow: RateLimit = { name: "slow", perSecond: 0.001, burst: 40 }

const fast: RateLimit = { name: "fast", perSecond: 1_000, burst: 100 }

/** Tolerated difference between the store's clock and the test's. */
const slackMillis = 5

const lease = (limit: RateLimit, key: string, needed: number, wanted = needed) =>
  Effect.flatMap(RateLimitStore, (store) => store.lease(limit, key, { needed, wanted }))

const sumOf = (portions: ReadonlyArray<Portion>): number => portions.reduce((sum, { tokens }) => sum + tokens, 0)

export const givesBurst = law(
  "gives what is needed while tokens last, nothing from an empty bucket, and reports the rest",
  Effect.gen(function* () {
    const key = Fresh.randomText("client")
    assert.deepStrictEqual(yield* lease(slow, key, 15), { tokens: 15, remaining: 25, waitMillis: 0 })
    const rest = yield* lease(slow, key, 40)
    assert.deepInclude(rest, { tokens: 25, remaining: 0 })
    const none = yield* lease(slow, key, 1)
    assert.deepInclude(none, { tokens: 0, remaining: 0 })
    for (const { waitMillis } of [rest, none]) {
      assert.isAtMost(waitMillis, 1_000_000)
      assert.isAtLeast(waitMillis, 900_000)
    }
  })
)

export const leavesForOthers = law(
  "gives more than is needed only while as many remain for others",
  Effect.gen(function* () {
    const key = Fresh.randomText("client")
    assert.strictEqual((yield* lease(slow, key, 1, 10)).tokens, 10)
    assert.strictEqual((yield* lease(slow, key, 1, 30)).tokens, 15)
    assert.strictEqual((yield* lease(slow, key, 10, 15)).tokens, 10)
    assert.strictEqual((yield* lease(slow, key, 1, 4)).tokens, 2)
  })
)

export const neverGivesTwice = law(
  "never gives a token twice, however many ask at once",
  Effect.gen(function* () {
    const key = Fresh.randomText("client")
    const portions = yield* Effect.replicateEffect(lease(slow, key, 3), 30, { concurrency: "unbounded" })
    assert.strictEqual(sumOf(portions), slow.burst)
  })
)

export const keepsApart = law(
  "keeps a bucket for each client and for each limit",
  Effect.gen(function* () {
    const [one, other] = [Fresh.randomText("client"), Fresh.randomText("client")]
    yield* lease(slow, one, slow.burst)
    assert.strictEqual((yield* lease(slow, other, 1)).tokens, 1)
    assert.strictEqual((yield* lease({ ...slow, name: "slower" }, one, 1)).tokens, 1)
    assert.strictEqual((yield* lease(slow, one, 1)).tokens, 0)
  })
)

export const refills = law(
  "fills a bucket at its rate and no faster: a token is there when it was said to be",
  Effect.gen(function* () {
    const key = Fresh.randomText("client")
    const start = yield* Clock.currentTimeMillis
    let given = (yield* lease(fast, key, fast.burst)).tokens
    for (let asked = 0; asked < 20; asked += 1) {
      const { tokens, waitMillis } = yield* lease(fast, key, 1_000)
      given += tokens
      if (tokens > 0) continue
      yield* Effect.sleep(waitMillis + slackMillis)
      const afterWait = yield* lease(fast, key, 1)
      assert.strictEqual(afterWait.tokens, 1)
      given += 1
    }
    const elapsed = (yield* Clock.currentTimeMillis) - start + slackMillis
    assert.isAtMost(given, fast.burst + (elapsed / 1000) * fast.perSecond)
    assert.isAbove(given, fast.burst)
  })
)

export const holdsNoMore = law(
  "never holds more than the burst",
  Effect.gen(function* () {
    const key = Fresh.randomText("client")
    const small: RateLimit = { ...fast, burst: 5 }
    yield* lease(small, key, 1)
    yield* Effect.sleep(20 + slackMillis)
    assert.strictEqual((yield* lease(small, key, 1_000)).tokens, 5)
  })
)

export const takesAnyRate = law(
  "keeps a bucket whose tokens take a fraction of a millisecond longer",
  Effect.gen(function* () {
    const key = Fresh.randomText("client")
    const thirds: RateLimit = { name: "thirds", perSecond: 0.003, burst: 2 }
    const first = yield* Effect.exit(lease(thirds, key, 1))
    assert.deepStrictEqual(first, Exit.succeed({ tokens: 1, remaining: 1, waitMillis: 0 }))
    assert.deepInclude(yield* lease(thirds, key, 1), { tokens: 1, remaining: 0 })
    const { tokens, waitMillis } = yield* lease(thirds, key, 1)
    assert.strictEqual(tokens, 0)
    assert.isAtMost(waitMillis, 333_334)
    assert.isAtLeast(waitMillis, 300_000)
  })
)

export const forgetsFull = lawAlone(
  "forgets buckets that are full, and no others",
  Effect.gen(function* () {
    const store = yield* RateLimitStore
    const [spent, full] = [Fresh.randomText("client"), Fresh.randomText("client")]
    yield* lease(slow, spent, slow.burst)
    yield* lease(fast, full, 1)
    yield* Effect.sleep(1 + slackMillis)
    assert.isAtLeast(yield* store.forgetFull, 1)
    assert.strictEqual((yield* lease(slow, spent, 1)).tokens, 0)
    assert.strictEqual((yield* lease(fast, full, fast.burst)).tokens, fast.burst)
  })
)

export const laws = [
  givesBurst,
  leavesForOthers,
  neverGivesTwice,
  keepsApart,
  refills,
  holdsNoMore,
  takesAnyRate,
  forgetsFull
]

export const suite: (adapter: string, layer: Layer.Layer<RateLimitStore, unknown>) => void = suiteOf<RateLimitStore>(
  "RateLimitStore",
  laws
)
