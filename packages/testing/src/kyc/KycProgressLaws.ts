import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshVerification from "./FreshVerification.js"
import { type Begun, given, hold, make, minute, progressOf, verifiedBy } from "./FreshVerification.js"

/** All that can be seen of the verification. */
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
    const progress = verifiedBy(begun.held)
    assertEquals(yield* store.save(progress), Option.some(progress.answer))
    const trace = { verification: progress.verification, answer: progress.answer }
    assertEquals(yield* traceOf(begun), { ...trace, kycStatus: "VERIFIED", kycTier: "TIER_2" })
    const again = yield* FreshVerification.attempt(begun.scope, begun.consumer, { key: begun.key, tier: "TIER_2" })
    assertEquals(again, { _tag: "Replay", verificationId: progress.verification.id, answer: progress.answer })
    assertEquals(yield* store.save(progress), Option.none(), "saving twice changes nothing")
    assertEquals(yield* hold(begun, 10), Option.none(), "nobody can hold what has ended")
    assertEquals([...(yield* FreshVerification.claim(begun, 10))], [])
  })
)

export const keepsFirstAnswer = law(
  "keeps the first answer byte for byte, whatever the verification comes to later",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const dueAt = Fresh.later(begun.madeAt, minute)
    const waiting = progressOf(
      begun.held,
      { status: "PENDING", providerReference: Fresh.text("VR") },
      { looks: 1, dueAt }
    )
    assertEquals(yield* store.save(waiting), Option.some(waiting.answer))
    assertEquals(yield* traceOf(begun), {
      verification: waiting.verification,
      answer: waiting.answer,
      kycStatus: undefined,
      kycTier: undefined
    })
    const [next] = yield* FreshVerification.claim(begun, 1)
    const held = next ?? assert.fail("it is due")
    assert.strictEqual(held.looks, 1)
    const progress = verifiedBy(held)
    assertEquals(yield* store.save(progress), Option.some(waiting.answer))
    const trace = yield* traceOf(begun)
    assertEquals([trace.verification, trace.answer], [progress.verification, waiting.answer])
  })
)

export const holderKeepsIt = law(
  "lets a holder save and hold on under the same fence, and keeps others out until the new time",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const heldUntil = Fresh.later(begun.madeAt, 5 * minute)
    const kept = progressOf(begun.held, { status: "PENDING" }, { dueAt: begun.held.dueAt, heldUntil })
    assertEquals(yield* store.save(kept), Option.some(kept.answer))
    assertEquals(yield* hold(begun, 4), Option.none())
    assertEquals([...(yield* FreshVerification.claim(begun, 4))], [])
    assertEquals(yield* store.save(verifiedBy(begun.held)), Option.some(kept.answer))
  })
)

export const fencesKeepOlderHolderOut = law(
  "refuses what a holder saves that another one has followed, and stores nothing of it, not even what it raises",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make({ tier: "TIER_2" })
    const newer = given(yield* hold(begun, 2))
    assertEquals(yield* store.save(verifiedBy(begun.held)), Option.none())
    assertEquals(yield* traceOf(begun), {
      verification: begun.verification,
      answer: undefined,
      kycStatus: undefined,
      kycTier: undefined
    })
    assert.isTrue(Option.isSome(yield* store.save(verifiedBy(newer))))
  })
)

export const oneOutcome = law(
  "lets exactly one of 20 ends at once stand",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* make()
    const completedAt = Fresh.later(begun.madeAt, minute)
    const ends = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? verifiedBy(begun.held)
        : progressOf(begun.held, { status: "FAILED", failureReason: `reason_${index}`, completedAt })
    )
    const saved = yield* Effect.forEach(ends, store.save, { concurrency: "unbounded" })
    assert.lengthOf(saved.filter(Option.isSome), 1)
    const standing = ends[saved.findIndex(Option.isSome)]
    const trace = yield* traceOf(begun)
    assertEquals(trace.verification, standing?.verification)
    assert.strictEqual(trace.kycStatus === "VERIFIED", standing?.proof !== undefined)
  })
)

export const laws = [savesAndRaises, keepsFirstAnswer, holderKeepsIt, fencesKeepOlderHolderOut, oneOutcome]
