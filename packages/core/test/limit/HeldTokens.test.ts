import { assert, describe, it } from "@effect/vitest"
import * as Held from "@surety/core/limit/HeldTokens"
import type { RateLimit } from "@surety/core/limit/RateLimit"

const limit: RateLimit = { name: "refunds", perSecond: 100, burst: 200 }
const now = 1_000_000

/** What a process holds after a grant of so many tokens, for one request that waited. */
const granted = (tokens: number, grant: { readonly remaining?: number; readonly waitMillis?: number } = {}) => {
  const held = Held.none(limit, "shop TEST")
  Held.receive(held, { tokens, remaining: grant.remaining ?? 100, waitMillis: grant.waitMillis ?? 0 }, 1, now)
  return held
}

/** Nothing is held, and the bucket is empty for 40 milliseconds. */
const empty = () => {
  const held = granted(1, { remaining: 0, waitMillis: 60 })
  Held.spend(held, now)
  return held
}

describe("Tokens that a process holds", () => {
  it("are a twentieth of the burst at most, and one at least", () => {
    for (const [burst, most] of [
      [200, 10],
      [219, 10],
      [220, 11],
      [20, 1],
      [19, 1],
      [1, 1]
    ] as const) {
      assert.strictEqual(Held.mostHeld({ ...limit, burst }), most, `of ${burst}`)
    }
    assert.strictEqual(Held.none({ ...limit, burst: 40 }, "k").portion, 2)
    assert.strictEqual(Held.none(limit, "k").portion, 4)
  })

  it("are spent one by one, and each says what is left", () => {
    const held = granted(2, { remaining: 50 })
    assert.deepStrictEqual(Held.spend(held, now), { limit, isAllowed: true, remaining: 51, resetMillis: 1490 })
    assert.deepInclude(Held.spend(held, now), { remaining: 50, resetMillis: 1500 })
    assert.deepInclude(held, { tokens: 0, spent: 2 })
    assert.isUndefined(Held.spend(held, now), "the bucket must be asked")
  })

  it("say that as much has come since as time has passed, and never more than the burst", () => {
    assert.deepInclude(Held.spend(granted(1, { remaining: 50 }), now + 250), { remaining: 75, resetMillis: 1250 })
    assert.deepInclude(Held.spend(granted(1, { remaining: 199 }), now + 9_999), { remaining: 200, resetMillis: 0 })
  })

  it("are given up after ten seconds to the millisecond, or when the clock was set back", () => {
    for (const [at, isSpent] of [
      [now, true],
      [now + Held.heldForMillis - 1, true],
      [now + Held.heldForMillis, false],
      [now - 1, false]
    ] as const) {
      const held = granted(3)
      assert.strictEqual(Held.spend(held, at) !== undefined, isSpent, `${at - now} ms`)
      assert.strictEqual(held.tokens, isSpent ? 2 : 0)
    }
  })

  it("that got stale make the next portion as small as what was spent, and one at least", () => {
    const held = granted(8)
    for (const _ of [1, 2, 3]) Held.spend(held, now)
    Held.spend(held, now + Held.heldForMillis)
    assert.strictEqual(held.portion, 3)
    const unspent = granted(8)
    Held.spend(unspent, now + Held.heldForMillis)
    assert.strictEqual(unspent.portion, 1)
  })
})

describe("An empty bucket", () => {
  it("refuses from memory until a token has come, to the millisecond", () => {
    const held = empty()
    assert.deepStrictEqual(Held.spend(held, now), { limit, isAllowed: false, remaining: 0, resetMillis: 60 })
    assert.deepInclude(Held.spend(held, now + 59), { isAllowed: false, resetMillis: 1 })
    assert.isUndefined(Held.spend(held, now + 60))
    assert.isUndefined(Held.spend(held, now - 1), "a clock that was set back knows nothing")
    assert.isTrue(Held.isEmpty(held, now))
    assert.isFalse(Held.isEmpty(held, now - 1))
    assert.isFalse(Held.isEmpty(held, now + 60))
    assert.isFalse(Held.isEmpty({ ...held, tokens: 1 }, now))
  })

  it("is left alone for 50 milliseconds at least, unless a portion comes sooner", () => {
    const until = (rate: RateLimit, waitMillis: number) => {
      const held = Held.none(rate, "k")
      Held.receive(held, { tokens: 0, remaining: 0, waitMillis }, 1, now)
      return [held.emptyFromMillis - now, held.emptyUntilMillis - now]
    }
    assert.deepStrictEqual(until(limit, 10), [0, 50])
    assert.deepStrictEqual(until(limit, 51), [0, 51])
    // A portion of 10 tokens comes in 10 milliseconds, one of half a token's time in 1.
    assert.deepStrictEqual(until({ ...limit, perSecond: 1_000 }, 1), [0, 10])
    assert.deepStrictEqual(until({ ...limit, perSecond: 100_000 }, 0), [0, 1])
  })

  it("is one that says when to come again, or gave less than was waited for", () => {
    const isEmptyAfter = (tokens: number, waitMillis: number, needed: number) => {
      const held = Held.none(limit, "k")
      Held.receive(held, { tokens, remaining: 0, waitMillis }, needed, now)
      return held.emptyUntilMillis > now
    }
    assert.isTrue(isEmptyAfter(3, 5, 3))
    assert.isTrue(isEmptyAfter(2, 0, 3))
    assert.isFalse(isEmptyAfter(3, 0, 3))
    assert.isFalse(isEmptyAfter(4, 0, 3))
  })
})

describe("The next portion", () => {
  const after = (spent: number, at: number) => {
    const held = granted(4)
    held.spent = spent
    Held.receive(held, { tokens: 1, remaining: 9, waitMillis: 0 }, 1, at)
    return held
  }

  it("doubles when half of the last was spent before it was stale, up to the most that is held", () => {
    assert.strictEqual(after(2, now + 1).portion, 8)
    assert.strictEqual(after(1, now + 1).portion, 4)
    assert.strictEqual(after(2, now + Held.heldForMillis - 1).portion, 8)
    assert.strictEqual(after(2, now + Held.heldForMillis).portion, 4)
    const large = after(2, now + 1)
    large.spent = 8
    Held.receive(large, { tokens: 1, remaining: 9, waitMillis: 0 }, 1, now + 2)
    assert.strictEqual(large.portion, 10)
  })

  it("adds to what is held, and counts anew what is spent", () => {
    const held = after(2, now + 7)
    assert.deepInclude(held, { tokens: 5, spent: 0, grantedAtMillis: now + 7, remaining: 9 })
  })

  it("is asked for when less than a quarter is left, not by a rare client, and not while nothing is to be had", () => {
    const held = granted(1)
    held.portion = 8
    assert.isTrue(Held.isLow(held, now))
    assert.isFalse(Held.isLow({ ...held, tokens: 2 }, now))
    assert.isFalse(Held.isLow({ ...held, portion: 3, tokens: 0 }, now))
    assert.isTrue(Held.isLow({ ...held, portion: 4, tokens: 0 }, now))
    assert.isFalse(Held.isLow({ ...held, emptyUntilMillis: now + 1 }, now))
    assert.isTrue(Held.isLow({ ...held, emptyUntilMillis: now }, now))
  })

  it("is what lacks, beside what requests wait for", () => {
    const held = granted(1)
    assert.deepStrictEqual(Held.demandOf(held, 3), { needed: 3, wanted: 6 })
    assert.deepStrictEqual(Held.demandOf({ ...held, tokens: 9 }, 3), { needed: 3, wanted: 3 })
  })
})

describe("What a process knows of a client", () => {
  it("is forgotten once its tokens are stale and its bucket is not empty", () => {
    const held = granted(3)
    assert.isFalse(Held.isForgettable(held, now + Held.heldForMillis - 1))
    assert.isTrue(Held.isForgettable(held, now + Held.heldForMillis))
    const long = granted(0, { remaining: 0, waitMillis: 20_000 })
    assert.isFalse(Held.isForgettable({ ...long, tokens: 3 }, now + Held.heldForMillis), "it is known to be empty")
    assert.isTrue(Held.isForgettable(long, now + 20_000))
  })
})
