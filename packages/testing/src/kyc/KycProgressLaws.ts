import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshVerification from "./FreshVerification.js"
import { type Begun, given, leaseMinute, leaseVerification, make, progressOf, verifiedBy } from "./FreshVerification.js"

/**
 * Returns the stored verification, the response stored under its idempotency key, and the consumer's KYC status and
 * tier.
 */
const traceOf = Effect.fnUntraced(function* ({ consumer, key, scope, verification }: Begun) {
  const store = yield* KycStore
  const consumers = yield* ConsumerStore
  const { prior } = yield* FreshVerification.look(scope, consumer, { key })
  const stored = Option.getOrThrow(yield* consumers.findByServiceId(scope.environment, consumer.serviceId))
  return {
    verification: Option.getOrUndefined(yield* store.find(scope, verification.id)),
    answer: prior?.answer,
    kycStatus: stored.kycStatus,
    kycTier: stored.kycTier
  }
})

export const savesAndRaises = law(
  "commits a verification that has ended with its answer and the person's new standing",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make({ tier: "TIER_2" })
    assertEquals(yield* traceOf(begun), {
      verification: begun.verification,
      answer: undefined,
      kycStatus: undefined,
      kycTier: undefined
    })
    const progress = verifiedBy(begun.leased)
    assertEquals(yield* store.settle(progress), Option.some(progress.answer))
    const trace = { verification: progress.verification, answer: progress.answer }
    assertEquals(yield* traceOf(begun), { ...trace, kycStatus: "VERIFIED", kycTier: "TIER_2" })
    const again = yield* FreshVerification.attempt(begun.scope, begun.consumer, { key: begun.key, tier: "TIER_2" })
    assertEquals(again, { _tag: "Replay", verificationId: progress.verification.id, answer: progress.answer })
    assertEquals(yield* store.settle(progress), Option.none(), "saving twice changes nothing")
    assertEquals(yield* leaseVerification(begun, 10), Option.none(), "what has ended is not leased")
    assertEquals([...(yield* FreshVerification.claim(begun, 10))], [])
  })
)

export const keepsFirstAnswer = law(
  "keeps the first response byte for byte, regardless of the later outcome",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const dueAt = Fresh.later(begun.madeAt, leaseMinute)
    const waiting = progressOf(
      begun.leased,
      { status: "PENDING", providerReference: Fresh.randomText("VR") },
      { looks: 1, dueAt }
    )
    assertEquals(yield* store.settle(waiting), Option.some(waiting.answer))
    assertEquals(yield* traceOf(begun), {
      verification: waiting.verification,
      answer: waiting.answer,
      kycStatus: undefined,
      kycTier: undefined
    })
    const [next] = yield* FreshVerification.claim(begun, 1)
    const leased = next ?? assert.fail("it is due")
    assert.strictEqual(leased.looks, 1)
    const progress = verifiedBy(leased)
    assertEquals(yield* store.settle(progress), Option.some(waiting.answer))
    const trace = yield* traceOf(begun)
    assertEquals([trace.verification, trace.answer], [progress.verification, waiting.answer])
  })
)

export const holderKeepsIt = law(
  "lets a worker settle and keep its lease under the same fence, and keeps others out until the new time",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const leasedUntil = Fresh.later(begun.madeAt, 5 * leaseMinute)
    const kept = progressOf(begun.leased, { status: "PENDING" }, { dueAt: begun.leased.dueAt, leasedUntil })
    assertEquals(yield* store.settle(kept), Option.some(kept.answer))
    assertEquals(yield* leaseVerification(begun, 4), Option.none())
    assertEquals([...(yield* FreshVerification.claim(begun, 4))], [])
    assertEquals(yield* store.settle(verifiedBy(begun.leased)), Option.some(kept.answer))
  })
)

export const fencesKeepOlderLeaseOut = law(
  "refuses to settle with an older fence, and stores nothing of it, not even what it raises",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make({ tier: "TIER_2" })
    const newer = given(yield* leaseVerification(begun, 2))
    assertEquals(yield* store.settle(verifiedBy(begun.leased)), Option.none())
    assertEquals(yield* traceOf(begun), {
      verification: begun.verification,
      answer: undefined,
      kycStatus: undefined,
      kycTier: undefined
    })
    assert.isTrue(Option.isSome(yield* store.settle(verifiedBy(newer))))
  })
)

export const oneOutcome = law(
  "lets exactly one of 20 ends at once stand",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const completedAt = Fresh.later(begun.madeAt, leaseMinute)
    const ends = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? verifiedBy(begun.leased)
        : progressOf(begun.leased, { status: "FAILED", failureReason: `reason_${index}`, completedAt })
    )
    const saved = yield* Effect.forEach(ends, store.settle, { concurrency: "unbounded" })
    assert.lengthOf(saved.filter(Option.isSome), 1)
    const standing = ends[saved.findIndex(Option.isSome)]
    const trace = yield* traceOf(begun)
    assertEquals(trace.verification, standing?.verification)
    assert.strictEqual(trace.kycStatus === "VERIFIED", standing?.proof !== undefined)
  })
)

export const keepsAction = law(
  "keeps what the holder must do, and how many codes were passed on, until the verification goes on",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const { leased, madeAt, scope, verification } = begun
    const at = (minutes: number) => Fresh.later(madeAt, minutes * leaseMinute)
    const found = Effect.map(store.find(scope, verification.id), Option.getOrThrow)
    const asked = progressOf(leased, FreshVerification.needsCode(leased), { dueAt: at(2), codes: 2 })
    yield* store.settle(asked)
    assertEquals(yield* found, asked.verification)
    const again = given(yield* leaseVerification(begun, 2))
    assertEquals([again.codes, again.verification], [2, asked.verification])
    const sent = progressOf(again, FreshVerification.needsConsent(again), { dueAt: at(3) })
    yield* store.settle(sent)
    assertEquals(yield* found, sent.verification)
    const last = given(yield* leaseVerification(begun, 3))
    const { nextAction: _, ...acted } = verifiedBy(last).verification
    yield* store.settle({ ...verifiedBy(last), verification: acted })
    assertEquals(yield* found, acted)
  })
)

export const laws = [savesAndRaises, keepsAction, keepsFirstAnswer, holderKeepsIt, fencesKeepOlderLeaseOut, oneOutcome]
