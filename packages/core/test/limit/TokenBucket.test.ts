import { assert, describe, it } from "@effect/vitest"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import * as TokenBucket from "@surety/core/limit/TokenBucket"
import { Effect, Schema } from "effect"

const refunds: RateLimit = { name: "refunds", perSecond: 100, burst: 200 }

const take = (bucket: TokenBucket.TokenBucket | undefined, now: number, needed: number, wanted = needed) =>
  TokenBucket.take(refunds, bucket, now, { needed, wanted })

describe("A token bucket", () => {
  it("is full at the start and gives its burst, then a token each hundredth of a second", () => {
    const empty = take(undefined, 1_000, 500)
    assert.deepStrictEqual(empty.portion, { tokens: 200, remaining: 0, waitMillis: 10 })
    assert.strictEqual(take(empty.bucket, 1_009, 1).portion.tokens, 0)
    const one = take(empty.bucket, 1_010, 1)
    assert.deepStrictEqual(one.portion, { tokens: 1, remaining: 0, waitMillis: 10 })
    assert.strictEqual(take(one.bucket, 1_020, 5).portion.tokens, 1)
  })

  it("never holds more than its burst, however long nothing is asked", () => {
    const { bucket } = take(undefined, 0, 200)
    assert.strictEqual(take(bucket, 86_400_000, 1_000).portion.tokens, 200)
  })

  it("gives more than is needed only from the half that is left to others", () => {
    assert.strictEqual(take(undefined, 0, 1, 10).portion.tokens, 10)
    const { bucket } = take(undefined, 0, 190)
    assert.strictEqual(take(bucket, 0, 1, 10).portion.tokens, 5)
    assert.strictEqual(take(bucket, 0, 8, 10).portion.tokens, 8)
  })

  it("is empty at worst when the clock is set back, and fills from there", () => {
    const { bucket } = take(undefined, 3_600_000, 1)
    const back = take(bucket, 0, 1)
    assert.strictEqual(back.portion.tokens, 0)
    assert.strictEqual(take(back.bucket, 2_000, 200).portion.tokens, 200)
  })

  it.effect.prop(
    "gives no more than burst and rate allow, under any sequence of requests",
    [
      Schema.Array(
        Schema.Struct({
          pause: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 })),
          needed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))
        })
      )
    ],
    ([askings]) =>
      Effect.sync(() => {
        let bucket: TokenBucket.TokenBucket | undefined
        let now = 0
        let given = 0
        for (const { needed, pause } of askings) {
          now += pause
          const taken = take(bucket, now, needed, needed + 10)
          bucket = taken.bucket
          given += taken.portion.tokens
          assert.isAtMost(given, refunds.burst + (now / 1_000) * refunds.perSecond + 1e-3)
        }
      })
  )
})
