import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { Effect } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import { expectFailure, law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshVerification from "./FreshVerification.js"

export const beginsWithReceipt = law(
  "appends the receipt of each verification that begins to the merchant's chain, and none for a repeat or a refusal",
  Effect.gen(function* () {
    const at = yield* FreshVerification.longAgo
    const { consumer, key, scope } = yield* FreshVerification.make({ at })
    const [first] = yield* FreshConsent.soundChain(scope)
    assert.isDefined(first)
    const ended = FreshVerification.planOf(yield* FreshVerification.attempt(scope, consumer, { id: "no number", at }))
    const again = yield* FreshVerification.attempt(scope, consumer, { key })
    assert.strictEqual(again._tag, "Pending")
    const stranger = yield* FreshConsumer.unstored(scope.environment)
    const refused = yield* FreshVerification.attempt(scope, stranger)
    assert.strictEqual(refused._tag, "Refuse")
    const receipts = yield* FreshConsent.soundChain(scope)
    assert.lengthOf(receipts, 2)
    const { body, environment, id, merchantId, userId } = receipts[1] ?? assert.fail("there are two")
    assertEquals({ body, environment, id, merchantId, userId }, ended.receipt)
    assertEquals(yield* FreshConsent.soundChain(FreshMerchant.otherEnvironment(scope)), [])
  })
)

export const failedBeginningsLeaveNoGap = law(
  "leaves no receipt of a verification that could not be stored, and no gap if others begin at once",
  Effect.gen(function* () {
    const { consumer, scope, verification } = yield* FreshVerification.make()
    const at = yield* FreshVerification.longAgo
    const begin = FreshVerification.attempt(scope, consumer, { at, id: "no number" })
    const good = Effect.replicateEffect(begin, 10, { concurrency: "unbounded" })
    const taken = FreshVerification.attempt(scope, consumer, {
      at,
      id: "no number",
      change: (plan) => ({ ...plan, verification: { ...plan.verification, id: verification.id } })
    })
    const bad = Effect.replicateEffect(expectFailure("a verification whose id is taken", taken), 5, {
      concurrency: "unbounded"
    })
    const grants = Effect.replicateEffect(ConsentAttempt.given(scope, consumer), 5, { concurrency: "unbounded" })
    const [begun] = yield* Effect.all([good, bad, grants], { concurrency: "unbounded" })
    const receipts = yield* FreshConsent.soundChain(scope)
    assert.lengthOf(receipts, 1 + 10 + 5)
    const ids = receipts.map(({ id }) => id)
    assert.includeMembers(
      ids,
      begun.map((decision) => FreshVerification.planOf(decision).receipt.id)
    )
  })
)

export const laws = [beginsWithReceipt, failedBeginningsLeaveNoGap]
