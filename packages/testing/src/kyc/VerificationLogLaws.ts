import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Effect, type Layer } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { type Law, law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshVerification from "./FreshVerification.js"
import { grantedAlone } from "./KycGrantLaws.js"

export type VerificationLogPorts = VerificationLog | KycStore | ConsentStore | ConsumerStore | MerchantStore

const idOf = ({ id }: Verification): string => id

export const listsNewestFirst = law(
  "lists a merchant's verifications newest first, each once, while others are made",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const first = yield* FreshVerification.make()
    const { madeAt, scope } = first
    const others = yield* Effect.forEach([1, 2, 3], (millis) =>
      FreshVerification.make({ scope, at: Fresh.later(madeAt, millis) })
    )
    const ids = [first, ...others].map(({ verification }) => verification.id).toReversed()
    let newer = 100
    const add = Effect.suspend(() => FreshVerification.make({ scope, at: Fresh.later(madeAt, newer++) }))
    yield* PageWalk.expectNewestFirst((page) => log.list(scope, page), idOf, ids, add)
    const listing = { environment: scope.environment, merchantId: scope.merchantId }
    yield* PageWalk.expectNewestFirst((page) => log.listAll(listing, page), idOf, ids, add)
  })
)

export const ordersOneMoment = law(
  "lists verifications of one moment once each, the greater id first",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const { madeAt, scope, verification } = yield* FreshVerification.make()
    const others = yield* Effect.forEach([1, 2, 3], () => FreshVerification.make({ scope, at: madeAt }))
    const ids = [verification.id, ...others.map((other) => other.verification.id)].sort().toReversed()
    assert.deepStrictEqual((yield* PageWalk.all((page) => log.list(scope, page), 2)).map(idOf), ids)
  })
)

export const showsWhatBecame = law(
  "lists a verification as it is now",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const { leased, scope } = yield* FreshVerification.make()
    const progress = FreshVerification.verifiedBy(leased)
    yield* (yield* KycStore).settle(progress)
    const { data } = yield* log.list(scope, { limit: 10, cursor: undefined })
    assertEquals(data, [progress.verification])
  })
)

export const strangersListNothing = law(
  "lists a merchant's verifications neither to another merchant nor in the other environment",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const { scope, verification } = yield* FreshVerification.make()
    const page = { limit: 100, cursor: undefined }
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make(), scope.environment)
    for (const stranger of [FreshMerchant.otherEnvironment(scope), neighbour]) {
      assert.deepStrictEqual((yield* log.list(stranger, page)).data, [])
      assert.deepStrictEqual((yield* log.listAll(stranger, page)).data, [])
    }
    const ofAll = { environment: scope.environment, merchantId: undefined }
    const all = yield* PageWalk.all((request) => log.listAll(ofAll, request), 100)
    assert.include(all.map(idOf), verification.id)
    const elsewhere = { environment: FreshMerchant.otherEnvironment(scope).environment, merchantId: undefined }
    const others = yield* PageWalk.all((request) => log.listAll(elsewhere, request), 100)
    assert.notInclude(others.map(idOf), verification.id)
  })
)

export const unlinkedIsOperators = law(
  "lists a verification to the merchant only while it may name the person, to the operator always",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const consumers = yield* ConsumerStore
    const { scope } = yield* FreshVerification.make()
    const consumer = yield* FreshConsumer.linkedTo(scope)
    const at = yield* FreshVerification.longAgo
    const { verification } = FreshVerification.planOf(
      yield* FreshVerification.attempt(scope, consumer, { at, id: "no number" })
    )
    assert.isTrue(yield* consumers.unlink(scope.merchantId, scope.environment, consumer.userId))
    const page = { limit: 100, cursor: undefined }
    assert.notInclude((yield* log.list(scope, page)).data.map(idOf), verification.id)
    assert.include((yield* log.listAll(scope, page)).data.map(idOf), verification.id)
    yield* consumers.link(FreshConsumer.linkOf(scope, consumer))
    assert.include((yield* log.list(scope, page)).data.map(idOf), verification.id)
  })
)

export const grantedIsListed = law(
  "lists the verification of a person of whom the merchant has a grant alone, as long as that stands",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const { consumer, grant, scope } = yield* grantedAlone
    const { verification } = FreshVerification.planOf(
      yield* FreshVerification.attempt(scope, consumer, { id: "no number" })
    )
    const listed = Effect.map(log.list(scope, { limit: 10, cursor: undefined }), ({ data }) => data.map(idOf))
    assert.deepStrictEqual(yield* listed, [verification.id])
    yield* ConsentAttempt.revoked(grant)
    assert.deepStrictEqual(yield* listed, [])
  })
)

export const foreignCursor = law(
  "answers a cursor that it did not make with an empty page",
  Effect.gen(function* () {
    const log = yield* VerificationLog
    const { scope } = yield* FreshVerification.make()
    for (const cursor of ["x", "0", "AAAA", "_-_-", scope.merchantId]) {
      assert.deepStrictEqual((yield* log.list(scope, { limit: 10, cursor })).data, [])
    }
  })
)

export const laws: ReadonlyArray<Law<VerificationLogPorts>> = [
  listsNewestFirst,
  ordersOneMoment,
  showsWhatBecame,
  strangersListNothing,
  unlinkedIsOperators,
  grantedIsListed,
  foreignCursor
]

export const suite: (adapter: string, layer: Layer.Layer<VerificationLogPorts, unknown>) => void = suiteOf(
  "VerificationLog",
  laws
)
