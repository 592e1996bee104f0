import { assert, describe, it } from "@effect/vitest"
import { type AskLimits, defaultAskLimits } from "@surety/core/consent/asking/AskLimits"
import { type AskingHistory, type AskRefused, askingRefusal, isSameSet } from "@surety/core/consent/asking/decideAsk"
import { type DateTime, Duration } from "effect"
import * as Sample from "../ConsentSamples.js"

const now = Sample.day(10)

/** Returns the time `count` hours after `now`. */
const hours = (count: number): DateTime.Utc => Sample.day(10 + count / 24)

const limits = (change: Partial<AskLimits> = {}): AskLimits => ({ ...defaultAskLimits, open: 2, perDay: 3, ...change })

const refusal = (change: Partial<AskingHistory>, bounds = limits()): AskRefused | undefined =>
  askingRefusal({ block: undefined, openUntil: [], madeAt: [], deniedAt: undefined, ...change }, bounds, now)

const wait = (refused: AskRefused | undefined) =>
  refused === undefined || refused._tag === "AskingBlocked" ? refused?._tag : [refused._tag, refused.retryAfterSeconds]

const hour = 3_600

const block = {
  merchantId: Sample.scope.merchantId,
  environment: Sample.scope.environment,
  userId: Sample.userId,
  serviceId: Sample.serviceId,
  reason: "NOT_ME" as const,
  dataRequestId: Sample.requestId(1),
  blockedAt: hours(-9)
}

describe("Asking a person", () => {
  it("is allowed to a merchant that never asked", () => {
    assert.isUndefined(refusal({}))
  })

  it("is refused while a block is in force, in any other state", () => {
    assert.strictEqual(wait(refusal({ block, openUntil: [hours(1), hours(2)] })), "AskingBlocked")
    assert.isUndefined(refusal({ block: { ...block, liftedAt: hours(-1) } }))
  })

  it("waits until fewer requests are pending than may be, which is when the first of them expires", () => {
    assert.isUndefined(refusal({ openUntil: [hours(1)] }))
    assert.deepStrictEqual(wait(refusal({ openUntil: [hours(5), hours(2)] })), ["AskedTooOften", 2 * hour])
    const three = [hours(5), hours(2), hours(3)]
    assert.deepStrictEqual(wait(refusal({ openUntil: three })), ["AskedTooOften", 3 * hour], "two have to expire")
    assert.isUndefined(refusal({ openUntil: [hours(5), hours(0)] }), "one that expires now is no longer pending")
  })

  it("waits until fewer requests were made in 24 hours than may be", () => {
    assert.isUndefined(refusal({ madeAt: [hours(-1), hours(-2)] }))
    const three = [hours(-1), hours(-4), hours(-2)]
    assert.deepStrictEqual(wait(refusal({ madeAt: three })), ["AskedTooOften", 20 * hour])
    assert.isUndefined(refusal({ madeAt: [hours(-1), hours(-24), hours(-2)] }), "24 hours ago does not count")
  })

  it("has no bound if that is 0", () => {
    const many = Array.from({ length: 20 }, (_, at) => at + 1)
    const history = {
      openUntil: many.map((at) => hours(at)),
      madeAt: many.map((at) => hours(-at)),
      deniedAt: hours(-1)
    }
    assert.isUndefined(refusal(history, { open: 0, perDay: 0, againAfter: Duration.zero }))
    assert.isDefined(refusal(history, { open: 20, perDay: 0, againAfter: Duration.zero }))
    assert.isDefined(refusal(history, { open: 0, perDay: 20, againAfter: Duration.zero }))
    assert.isDefined(refusal(history, { open: 0, perDay: 0, againAfter: Duration.hours(2) }))
  })

  it("for what was denied waits until that is long enough ago", () => {
    assert.deepStrictEqual(wait(refusal({ deniedAt: hours(-23) })), ["AskedRecently", hour])
    assert.isUndefined(refusal({ deniedAt: hours(-24) }))
    const brief = limits({ againAfter: Duration.hours(2) })
    assert.deepStrictEqual(wait(refusal({ deniedAt: hours(-1) }, brief)), ["AskedRecently", hour])
  })

  it("is not held up by a denial of another node's next moment without such a bound", () => {
    assert.isUndefined(refusal({ deniedAt: hours(1) }, limits({ againAfter: Duration.zero })))
  })

  it("may be repeated after a block is lifted, for what was denied before", () => {
    const lifted = { ...block, liftedAt: hours(-2) }
    assert.isUndefined(refusal({ block: lifted, deniedAt: hours(-3) }))
    assert.isUndefined(refusal({ block: lifted, deniedAt: hours(-2) }))
    assert.deepStrictEqual(wait(refusal({ block: lifted, deniedAt: hours(-1) })), ["AskedRecently", 23 * hour])
  })

  it("waits for the longest of its bounds, and names too many requests before a denial", () => {
    const open = [hours(1), hours(2)]
    const madeAt = [hours(-21), hours(-20), hours(-19)]
    assert.deepStrictEqual(wait(refusal({ openUntil: open, madeAt })), ["AskedTooOften", 3 * hour])
    assert.deepStrictEqual(wait(refusal({ openUntil: [hours(9), hours(8)], madeAt })), ["AskedTooOften", 8 * hour])
    assert.deepStrictEqual(wait(refusal({ openUntil: open, deniedAt: hours(-1) })), ["AskedTooOften", 23 * hour])
    assert.deepStrictEqual(wait(refusal({ openUntil: open, deniedAt: hours(-23.5) })), ["AskedTooOften", hour])
  })

  it("may be retried after whole seconds, never too early", () => {
    const soon = Sample.day(10 + 1.5 / 86_400)
    assert.deepStrictEqual(wait(refusal({ openUntil: [soon, soon] })), ["AskedTooOften", 2])
  })
})

describe("A request", () => {
  it("is for the same fields as another in any order", () => {
    assert.isTrue(isSameSet(["email", "country"], ["country", "email"]))
    assert.isTrue(isSameSet([], []))
    assert.isFalse(isSameSet(["email"], ["email", "country"]))
    assert.isFalse(isSameSet(["email", "country"], ["email"]))
    assert.isFalse(isSameSet(["email", "country"], ["email", "kyc_status"]))
  })
})
