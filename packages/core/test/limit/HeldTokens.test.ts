import { assert, describe, it } from "@effect/vitest"
import * as Held from "@surety/core/limit/HeldTokens"
import type { RateLimit } from "@surety/core/limit/RateLimit"

/** A limit for which a process holds at most 10 tokens, a twentieth of the burst. */
const refunds: RateLimit = { name: "refunds", perSecond: 100, burst: 200 }
const now = 50_000

const heldWith = (change: Partial<Held.HeldTokens> = {}): Held.HeldTokens => ({
  ...Held.none(refunds, "shop"),
  leasedAtMillis: now,
  ...change
})

const received = (
  change: Partial<Held.HeldTokens>,
  leased: Parameters<typeof Held.receive>[1],
  needed = 1,
  at = now
) => {
  const held = heldWith(change)
  Held.receive(held, leased, needed, at)
  return held
}

const many = { tokens: 5, remaining: 100, waitMillis: 0 }

describe("what a process holds of a bucket", () => {
  it("is at most a twentieth of the burst, one token at least, and at first four", () => {
    assert.deepStrictEqual(
      [1, 20, 39, 40, 200].map((burst) => Held.mostHeld({ ...refunds, burst })),
      [1, 1, 1, 2, 10]
    )
    assert.deepStrictEqual(
      [20, 40, 200].map((burst) => Held.none({ ...refunds, burst }, "shop").portion),
      [1, 2, 4]
    )
    assert.isUndefined(Held.spend(Held.none(refunds, "shop"), now), "nothing is held before the bucket was asked")
  })

  it("is spent a token at a time, and says what is left by now", () => {
    const held = heldWith({ tokens: 2, remaining: 90 })
    const first = { limit: refunds, isAllowed: true, remaining: 91, resetMillis: 1_090 }
    assert.deepStrictEqual(Held.spend(held, now), first)
    assert.deepStrictEqual(Held.spend(held, now + 105), { ...first, remaining: 100, resetMillis: 1_000 })
    assert.deepInclude(held, { tokens: 0, spent: 2 })
    assert.isUndefined(Held.spend(held, now + 105), "then the bucket must be asked")
    const full = Held.spend(heldWith({ tokens: 2, remaining: 190 }), now + 5_000)
    assert.deepInclude(full, { remaining: 200, resetMillis: 0 }, "never more than the burst")
  })

  it.each([
    ["just before ten seconds", 9_999, true],
    ["after ten seconds", 10_000, false],
    ["when the clock was set back", -1, false]
  ])("%s may still be spent or is given up", (_, later, isKept) => {
    const held = heldWith({ tokens: 5, spent: 3, portion: 8 })
    assert.strictEqual(Held.spend(held, now + later)?.isAllowed, isKept ? true : undefined)
    assert.deepInclude(held, isKept ? { tokens: 4, portion: 8 } : { tokens: 0, portion: 3 })
  })

  it("is one token at least after it was given up unspent", () => {
    const held = heldWith({ tokens: 5, spent: 0, portion: 8 })
    Held.spend(held, now + 10_000)
    assert.strictEqual(held.portion, 1)
    const busy = heldWith({ tokens: 5, spent: 100, portion: 8 })
    Held.spend(busy, now + Held.heldForMillis)
    assert.strictEqual(busy.portion, Held.mostHeld(busy.limit), "what waiting requests spent is not held")
    const none = heldWith({ tokens: 0, spent: 3, portion: 8 })
    Held.spend(none, now + 10_000)
    assert.strictEqual(none.portion, 8, "what was spent in full was not too much")
  })
})

describe("what requests left that did not wait", () => {
  it.each([
    ["some of what is held", 3, { tokens: 2, spent: 4 }],
    ["all that is held, if they are more", 9, { tokens: 0, spent: 6 }]
  ])("is spent: %s", (_, count, left) => {
    const held = heldWith({ tokens: 5, spent: 1 })
    Held.spendLeft(held, count)
    assert.deepInclude(held, left)
  })
})

describe("an empty bucket", () => {
  const empty = heldWith({ emptyFromMillis: now, emptyUntilMillis: now + 30 })

  it("is refused from when it was found empty until a token has come", () => {
    assert.deepStrictEqual(
      [-1, 0, 29, 30].map((later) => Held.isEmpty(empty, now + later)),
      [false, true, true, false]
    )
    assert.isFalse(Held.isEmpty({ ...empty, tokens: 1 }, now), "not while a token is held")
    const refused = { limit: refunds, isAllowed: false, remaining: 0, resetMillis: 20 }
    assert.deepStrictEqual(Held.spend({ ...empty }, now + 10), refused)
  })

  it("is remembered as long as that matters, and held tokens until they are stale", () => {
    assert.isFalse(Held.isForgettable(heldWith(), now + 9_999))
    assert.isTrue(Held.isForgettable(heldWith(), now + 10_000))
    const long = heldWith({ tokens: 3, emptyFromMillis: now, emptyUntilMillis: now + 20_000 })
    assert.isFalse(Held.isForgettable(long, now + 10_000))
    assert.isTrue(Held.isForgettable(long, now + 20_000))
  })

  it.each([
    ["for as long as the store says", { tokens: 0, remaining: 0, waitMillis: 70 }, 1, 70],
    ["for 50 ms at least", { tokens: 0, remaining: 0, waitMillis: 3 }, 1, 50],
    ["also when it gave its last tokens", { tokens: 4, remaining: 0, waitMillis: 60 }, 4, 60],
    ["also when it gave less than was needed and says no time", { tokens: 2, remaining: 0, waitMillis: 0 }, 3, 50]
  ])("is left alone %s", (_, leased, needed, millis) => {
    const held = received({}, leased, needed)
    assert.deepInclude(held, { emptyFromMillis: now, emptyUntilMillis: now + millis })
  })

  it("is left alone no longer than what a process may hold takes to come", () => {
    const fast: RateLimit = { name: "fast", perSecond: 1_000, burst: 100 }
    const leased = { tokens: 0, remaining: 0, waitMillis: 0.5 }
    assert.strictEqual(received({ limit: fast }, leased).emptyUntilMillis, now + 5)
    const fastest = { ...fast, perSecond: 100_000 }
    assert.strictEqual(received({ limit: fastest }, leased).emptyUntilMillis, now + 1, "but a millisecond")
  })

  it("is not assumed if tokens are left", () => {
    assert.deepInclude(received({}, many, 5), { emptyFromMillis: 0, emptyUntilMillis: 0 })
  })
})

describe("a lease", () => {
  it("is added to what is held, and restarts the count", () => {
    const held = received({ tokens: 2, spent: 1 }, many, 1, now + 7)
    assert.deepInclude(held, { tokens: 7, spent: 0, remaining: 100, leasedAtMillis: now + 7 })
  })

  it.each([
    ["is added to tokens that may still be spent", 9_999, 7],
    ["replaces tokens that are stale", 10_000, 5],
    ["replaces tokens from before the clock was set back", -1, 5]
  ])("%s", (_, later, tokens) => {
    assert.strictEqual(received({ tokens: 2, spent: 1 }, many, 1, now + later).tokens, tokens)
  })

  it.each([
    ["twice as much when half of the portion was spent in time", 2, 9_999, 8],
    ["as much when less than half was spent", 1, 9_999, 4],
    ["as much when it was spent too late", 4, 10_000, 4],
    ["as much when the clock was set back", 4, -1, 4]
  ])("asks %s", (_, spent, later, portion) => {
    assert.strictEqual(received({ spent, portion: 4 }, many, 1, now + later).portion, portion)
  })

  it("never asks for more than the most that may be held", () => {
    assert.strictEqual(received({ spent: 8, portion: 8 }, many).portion, 10)
    assert.strictEqual(received({ spent: 0, portion: 40 }, many).portion, 10)
  })
})

describe("asking for more", () => {
  it("comes before the last token is spent, when less than a quarter of the portion is left", () => {
    const isLow = (tokens: number, portion: number) => Held.isLow(heldWith({ tokens, portion }), now)
    assert.deepStrictEqual([isLow(1, 8), isLow(2, 8), isLow(0, 4), isLow(1, 4)], [true, false, true, false])
    assert.isFalse(isLow(0, 3), "not for a client that seldom asks")
  })

  it("waits while the bucket is known to be empty", () => {
    const held = heldWith({ tokens: 1, portion: 8, emptyUntilMillis: now + 30 })
    assert.deepStrictEqual([Held.isLow(held, now + 29), Held.isLow(held, now + 30)], [false, true])
  })

  it("needs what requests wait for, and wants the portion full", () => {
    assert.deepStrictEqual(Held.demandOf(heldWith({ tokens: 1, portion: 8 }), 3), { needed: 3, wanted: 10 })
    assert.deepStrictEqual(Held.demandOf(heldWith({ tokens: 9, portion: 8 }), 3), { needed: 3, wanted: 3 })
  })
})
