import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { KycStore } from "@surety/core/kyc/KycStore"
import { Effect, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import { law } from "../Law.js"
import * as FreshVerification from "./FreshVerification.js"

/** A person of whom the merchant has a grant and no link. */
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

export const laws = [grantLetsVerify]
