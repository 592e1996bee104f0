import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { Effect, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import { law } from "../Law.js"
import * as FreshVerification from "./FreshVerification.js"

/** Creates a merchant and a person. The merchant has a grant for the person's data, but no link to the person. */
export const grantedAlone = Effect.gen(function* () {
  const parties = yield* FreshConsent.parties()
  const { grant } = yield* ConsentAttempt.given(parties.scope, parties.consumer)
  return { ...parties, grant }
})

export const grantLetsVerify = law(
  "lets a merchant verify a person, and find the verification, by a grant alone and no longer than that stands",
  Effect.gen(function* () {
    const store = yield* KycStore
    const { consumer, grant, scope } = yield* grantedAlone
    const attempt = FreshVerification.attempt(scope, consumer, { id: "no number" })
    const { verification } = FreshVerification.planOf(yield* attempt)
    assertEquals(yield* store.find(scope, verification.id), Option.some(verification))
    const seen = yield* FreshVerification.look(scope, consumer, { by: "both" })
    assert.deepStrictEqual([seen.byUserId?.isLinked, seen.byServiceId?.isLinked], [true, true])
    const second = (yield* ConsentAttempt.given(scope, consumer, { purpose: "another" })).grant
    yield* ConsentAttempt.revoked(grant)
    assertEquals(yield* store.find(scope, verification.id), Option.some(verification), "another grant stands")
    yield* ConsentAttempt.revoked(second)
    assertEquals(yield* store.find(scope, verification.id), Option.none())
    assert.strictEqual(FreshVerification.nameOf(yield* attempt), "LinkedUserNotFound")
  })
)

export const endedLinkWins = law(
  "begins no verification of a person whose link or grant has ended since they were loaded, and keeps no receipt of it",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const { consumer, grant, scope } = yield* grantedAlone
    const granted = yield* FreshVerification.look(scope, consumer)
    yield* ConsentAttempt.revoked(grant)
    yield* consumers.link(FreshConsumer.linkOf(scope, consumer))
    const linked = yield* FreshVerification.look(scope, consumer)
    assert.isTrue(yield* consumers.unlink(scope.merchantId, scope.environment, consumer.userId))
    const before = yield* FreshConsent.traceOf(scope)
    for (const stale of [granted, linked]) {
      assert.isTrue(stale.byUserId?.isLinked)
      const late = yield* FreshVerification.attempt(scope, consumer, { id: "no number", stale })
      assert.strictEqual(FreshVerification.nameOf(late), "LinkedUserNotFound")
    }
    assertEquals(yield* FreshConsent.traceOf(scope), before)
  })
)

export const laws = [grantLetsVerify, endedLinkWins]
