import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import { Effect, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshVerification from "./FreshVerification.js"
import { make, verifiedBy } from "./FreshVerification.js"

export const strangersSeeNothing = law(
  "shows a merchant's verification neither to another merchant nor in the other environment, though they know the person",
  Effect.gen(function* () {
    const store = yield* KycStore
    const consumers = yield* ConsumerStore
    const { consumer, leased, key, scope, verification } = yield* make()
    const progress = verifiedBy(leased)
    yield* store.settle(progress)
    const { providerReference = "" } = progress.verification
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      const known = { ...consumer, environment: stranger.environment }
      const isNew = stranger.environment !== scope.environment
      if (isNew) assert.isTrue(yield* consumers.insert(known, undefined))
      yield* consumers.link(FreshConsumer.linkOf(stranger, known))
      for (const reference of [verification.id, providerReference]) {
        assertEquals(yield* store.find(stranger, reference), Option.none())
      }
      const { prior } = yield* FreshVerification.look(stranger, known, { key })
      assert.isUndefined(prior, "the key is free")
    }
    assertEquals(yield* store.find(scope, verification.id), Option.some(progress.verification))
    assertEquals(yield* store.find(scope, providerReference), Option.some(progress.verification))
  })
)

export const strangersShareKeys = law(
  "lets two merchants, and TEST and LIVE, use the same key at once",
  Effect.gen(function* () {
    const first = yield* make()
    for (const scope of yield* FreshMerchant.strangersTo(first.scope)) {
      const { verification } = yield* make({ scope, key: first.key })
      assert.notStrictEqual(verification.id, first.verification.id)
    }
  })
)

export const hidesUnlinked = law(
  "finds a verification only while the merchant may name its person",
  Effect.gen(function* () {
    const store = yield* KycStore
    const consumers = yield* ConsumerStore
    const { scope } = yield* make()
    const consumer = yield* FreshConsumer.linkedTo(scope)
    const at = yield* FreshVerification.longAgo
    const { verification } = FreshVerification.planOf(
      yield* FreshVerification.attempt(scope, consumer, { at, id: "no number" })
    )
    assert.isTrue(yield* consumers.unlink(scope.merchantId, scope.environment, consumer.userId))
    assertEquals(yield* store.find(scope, verification.id), Option.none())
    yield* consumers.link(FreshConsumer.linkOf(scope, consumer))
    assertEquals(
      Option.map(yield* store.find(scope, verification.id), ({ userId }) => userId),
      Option.some(consumer.userId)
    )
  })
)

export const newestOfProvidersReference = law(
  "finds the newest of several verifications to which the provider has given one reference, and none by half of it",
  Effect.gen(function* () {
    const store = yield* KycStore
    const older = yield* make()
    const newer = yield* make({ scope: older.scope, at: Fresh.later(older.madeAt, 10) })
    const providerReference = Fresh.randomText("VR")
    for (const { leased } of [newer, older]) {
      const progress = verifiedBy(leased)
      yield* store.settle({ ...progress, verification: { ...progress.verification, providerReference } })
    }
    const found = yield* store.find(older.scope, providerReference)
    assert.strictEqual(Option.getOrThrow(found).id, newer.verification.id)
    for (const reference of [providerReference.slice(0, -1), "%", "", Fresh.verificationId(older.madeAt)]) {
      assertEquals(yield* store.find(older.scope, reference), Option.none())
    }
  })
)

export const ourReferenceFirst = law(
  "finds the verification that has a reference of ours, though the provider calls a newer one so",
  Effect.gen(function* () {
    const store = yield* KycStore
    const older = yield* make()
    const newer = yield* make({ scope: older.scope, at: Fresh.later(older.madeAt, 10) })
    const progress = verifiedBy(newer.leased)
    const providerReference = older.verification.id
    yield* store.settle({ ...progress, verification: { ...progress.verification, providerReference } })
    assertEquals(yield* store.find(older.scope, older.verification.id), Option.some(older.verification))
  })
)

export const forgetsOldestFirst = law(
  "forgets no more answers at once than it is asked to, the oldest first, and says how many",
  Effect.gen(function* () {
    const store = yield* KycStore
    const newest = yield* make()
    const [middle, oldest] = yield* Effect.all([
      make({ scope: newest.scope, at: Fresh.later(newest.madeAt, -10) }),
      make({ scope: newest.scope, at: Fresh.later(newest.madeAt, -20) })
    ])
    const all = [newest, oldest, middle]
    for (const { leased } of all) assert.isTrue(Option.isSome(yield* store.settle(verifiedBy(leased))))
    const isKept = ({ consumer, key, scope }: FreshVerification.Begun) =>
      Effect.map(FreshVerification.look(scope, consumer, { key }), ({ prior }) => prior !== undefined)
    const madeBefore = Fresh.later(newest.madeAt, 1)
    assert.strictEqual(yield* store.forgetAnswers(madeBefore, 1), 1)
    assertEquals(yield* Effect.forEach(all, isKept), [true, false, true])
    assert.strictEqual(yield* store.forgetAnswers(madeBefore, 100), 2)
    assertEquals(yield* Effect.forEach(all, isKept), [false, false, false])
    assert.strictEqual(yield* store.forgetAnswers(madeBefore, 100), 0)
  })
)

export const forgetsAnswers = law(
  "forgets key, fingerprint and answer of ended verifications made before the moment, keeps the verifications",
  Effect.gen(function* () {
    const store = yield* KycStore
    const old = yield* make()
    const open = yield* make({ scope: old.scope, at: Fresh.later(old.madeAt, 1) })
    const young = yield* make({ scope: old.scope, at: Fresh.later(old.madeAt, 10) })
    for (const { leased } of [old, young]) assert.isTrue(Option.isSome(yield* store.settle(verifiedBy(leased))))
    const isKept = ({ consumer, key, scope }: FreshVerification.Begun) =>
      Effect.map(FreshVerification.look(scope, consumer, { key }), ({ prior }) => prior !== undefined)
    while ((yield* store.forgetAnswers(young.madeAt, 100)) > 0) yield* Effect.yieldNow
    assertEquals(yield* Effect.forEach([old, open, young], isKept), [false, true, true])
    const kept = Option.getOrThrow(yield* store.find(old.scope, old.verification.id))
    assert.strictEqual(kept.status, "VERIFIED")
    const { verification } = FreshVerification.planOf(
      yield* FreshVerification.attempt(old.scope, old.consumer, { key: old.key, at: old.madeAt, id: "no number" })
    )
    assert.notStrictEqual(verification.id, old.verification.id, "the key is free")
  })
)

export const laws = [
  strangersSeeNothing,
  strangersShareKeys,
  hidesUnlinked,
  newestOfProvidersReference,
  ourReferenceFirst,
  forgetsOldestFirst,
  forgetsAnswers
]
