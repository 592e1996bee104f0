import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { controllerOf } from "@surety/core/consent/receipt/Receipt"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { firstFence, KycStore } from "@surety/core/kyc/KycStore"
import { Effect, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { expectFailure, law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import { responses } from "../Responses.js"
import * as FreshVerification from "./FreshVerification.js"

export const commitsBeginning = law(
  "commits a verification with its key before the provider is called, leased by its maker, without a response yet",
  Effect.gen(function* () {
    const store = yield* KycStore
    const { consumer, key, scope, verification } = yield* FreshVerification.make({ tier: "TIER_2", by: "both" })
    assert.strictEqual(verification.status, "PENDING")
    assertEquals(yield* store.find(scope, verification.id), Option.some(verification))
    const { prior } = yield* FreshVerification.look(scope, consumer, { key })
    assert.strictEqual(prior?.verificationId, verification.id)
    assert.isUndefined(prior?.answer)
    const again = yield* FreshVerification.attempt(scope, consumer, { key, tier: "TIER_2", by: "both" })
    assertEquals(again, { _tag: "Pending", verificationId: verification.id })
  })
)

export const keepsEveryValue = law(
  "keeps a verification with all that is known of it, and leaves out what is not",
  Effect.gen(function* () {
    const store = yield* KycStore
    const full = yield* FreshVerification.make({ kind: "vnin", id: "AB123456789012CD", tier: "gold" })
    assert.strictEqual(full.verification.tier, "gold")
    assert.strictEqual(full.verification.provider, "fake")
    assert.strictEqual(full.verification.idLast4, "12CD")
    assertEquals(yield* store.find(full.scope, full.verification.id), Option.some(full.verification))
    const progress = FreshVerification.verifiedBy(full.leased)
    assertEquals(yield* store.settle(progress), Option.some(progress.answer))
    assertEquals(yield* store.find(full.scope, full.verification.id), Option.some(progress.verification))
    const bare = yield* FreshVerification.make()
    assert.notProperty(bare.verification, "tier")
    assertEquals(yield* store.find(bare.scope, bare.verification.id), Option.some(bare.verification))
  })
)

export const endedAtOnce = law(
  "commits one that ends at once with its response, and no one can lease it",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* FreshVerification.make({ id: "1234567" })
    const { consumer, key, scope, verification } = begun
    assert.strictEqual(verification.status, "FAILED")
    assertEquals(yield* store.find(scope, verification.id), Option.some(verification))
    const again = yield* FreshVerification.attempt(scope, consumer, { key, id: "1234567" })
    assertEquals(again, {
      _tag: "Replay",
      verificationId: verification.id,
      answer: responses.verification(verification)
    })
    assertEquals(yield* FreshVerification.leaseVerification(begun, 10), Option.none())
    assertEquals([...(yield* FreshVerification.claim(begun, 10))], [])
  })
)

export const snapshotsPersons = law(
  "shows a decision who the merchant is, whom each name means in the environment, and whether the merchant may name them",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const purpose = "To open your account"
    const merchant = yield* FreshMerchant.make({ settings: { purpose } })
    const scope = FreshMerchant.scopeOf(merchant)
    const asked = { prior: undefined, controller: controllerOf(merchant), ownPurpose: purpose }
    const linked = yield* FreshConsumer.linkedTo(scope)
    const unlinked = yield* FreshConsumer.unstored(scope.environment)
    assert.isTrue(yield* consumers.insert(unlinked, undefined))
    const unknown = yield* FreshConsumer.unstored(scope.environment)
    const elsewhere = FreshMerchant.otherEnvironment(scope)
    const person = ({ serviceId, userId }: Consumer, isLinked: boolean) => ({ userId, serviceId, isLinked })
    for (const [consumer, expected] of [
      [linked, person(linked, true)],
      [unlinked, person(unlinked, false)],
      [unknown, undefined]
    ] as const) {
      const both = yield* FreshVerification.look(scope, consumer, { by: "both" })
      assertEquals(both, { ...asked, byUserId: expected, byServiceId: expected })
      const byUser = yield* FreshVerification.look(scope, consumer, { by: "userId" })
      assertEquals(byUser, { ...asked, byUserId: expected, byServiceId: undefined })
      const abroad = yield* FreshVerification.look(elsewhere, consumer, { by: "both" })
      assertEquals(abroad, { ...asked, byUserId: undefined, byServiceId: undefined })
    }
    const stranger = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { byUserId } = yield* FreshVerification.look(stranger, linked)
    assertEquals(byUserId, person(linked, false), "another merchant may not name them")
  })
)

export const refusalLeavesKeyFree = law(
  "stores nothing of a refused verification and leaves its key free",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const consumer = yield* FreshConsumer.unstored(scope.environment)
    assert.isTrue(yield* consumers.insert(consumer, undefined))
    const key = Fresh.idempotencyKey()
    const refused = yield* FreshVerification.attempt(scope, consumer, { key })
    assert.strictEqual(FreshVerification.nameOf(refused), "LinkedUserNotFound")
    assert.isUndefined((yield* FreshVerification.look(scope, consumer, { key })).prior)
    yield* consumers.link(FreshConsumer.linkOf(scope, consumer))
    const at = yield* FreshVerification.longAgo
    const { id } = FreshVerification.planOf(
      yield* FreshVerification.attempt(scope, consumer, { key, at, id: "no number" })
    ).verification
    assert.strictEqual((yield* FreshVerification.look(scope, consumer, { key })).prior?.verificationId, id)
  })
)

export const oneVerificationPerKey = law(
  "begins one verification of 20 requests at once with one key, whether it has ended with its answer or is open",
  Effect.gen(function* () {
    const store = yield* KycStore
    const { consumer, scope } = yield* FreshVerification.make()
    const at = yield* FreshVerification.longAgo
    const together = (id: string) => {
      const key = Fresh.idempotencyKey()
      const attempt = FreshVerification.attempt(scope, consumer, { key, at, id })
      return Effect.replicateEffect(attempt, 20, { concurrency: "unbounded" })
    }
    const ended = yield* together("no number")
    assert.deepStrictEqual(FreshVerification.tally(ended), { Execute: 1, Replay: 19 })
    const open = yield* together("12345678901")
    assert.deepStrictEqual(FreshVerification.tally(open), { Execute: 1, Pending: 19 })
    const { verification } = open.flatMap((each) => (each._tag === "Execute" ? [each.plan] : []))[0] ?? assert.fail()
    const progress = FreshVerification.verifiedBy({ verification, fence: firstFence, looks: 0, codes: 0, dueAt: at })
    assertEquals(yield* store.settle(progress), Option.some(progress.answer))
  })
)

export const oneRequestPerKey = law(
  "lets one request have a key of 20 different ones at once, and knows it by an older secret key too",
  Effect.gen(function* () {
    const { consumer, scope } = yield* FreshVerification.make()
    const key = Fresh.idempotencyKey()
    const at = yield* FreshVerification.longAgo
    const decisions = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => `tier_${index}`),
      (tier) => FreshVerification.attempt(scope, consumer, { key, at, tier, id: "no number" }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(FreshVerification.tally(decisions), { Execute: 1, KeyReused: 19 })
    const tier = `tier_${decisions.findIndex(({ _tag }) => _tag === "Execute")}`
    const rotated = yield* FreshVerification.attempt(scope, consumer, {
      key,
      tier,
      id: "no number",
      fingerprintKeys: ["k2", "k1"]
    })
    assert.strictEqual(rotated._tag, "Replay")
  })
)

export const beginsAllOrNothing = law(
  "stores nothing of a verification whose id is taken, and leaves its key free",
  Effect.gen(function* () {
    const store = yield* KycStore
    const { consumer, scope, verification } = yield* FreshVerification.make()
    const key = Fresh.idempotencyKey()
    const at = yield* FreshVerification.longAgo
    const attempt = FreshVerification.attempt(scope, consumer, {
      key,
      at,
      id: "no number",
      change: (plan) => ({ ...plan, verification: { ...plan.verification, id: verification.id } })
    })
    yield* expectFailure("a verification whose id is taken", attempt)
    assert.isUndefined((yield* FreshVerification.look(scope, consumer, { key })).prior)
    assertEquals(yield* store.find(scope, verification.id), Option.some(verification))
  })
)

export const laws = [
  commitsBeginning,
  keepsEveryValue,
  endedAtOnce,
  snapshotsPersons,
  refusalLeavesKeyFree,
  oneVerificationPerKey,
  oneRequestPerKey,
  beginsAllOrNothing
]
