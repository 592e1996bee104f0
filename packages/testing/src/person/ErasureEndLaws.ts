import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { Topic } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { KycStore, type LeasedVerification } from "@surety/core/kyc/KycStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { PersonStore } from "@surety/core/person/PersonStore"
import { DateTime, Effect, Option, Schema } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law } from "../Law.js"
import * as ErasureAttempt from "./ErasureAttempt.js"

const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))

const completed = "kyc.verification.completed"

const eventsOf = Effect.fnUntraced(function* (scope: MerchantScope, topic: Topic) {
  const log = yield* EventLog
  const { data } = yield* log.list(scope, { limit: 100, cursor: undefined }, topic)
  return data
})

/**
 * Makes three verifications of one person: one leased, one that requires the person's consent, and one that has
 * ended.
 */
const verifications = Effect.gen(function* () {
  const kyc = yield* KycStore
  const leased = yield* FreshVerification.make()
  const { consumer, scope } = leased
  const begun = Effect.gen(function* () {
    const plan = FreshVerification.planOf(yield* FreshVerification.attempt(scope, consumer, { at: leased.madeAt }))
    const { verification } = plan
    const lease: LeasedVerification = { verification, fence: 1, looks: 0, codes: 0, dueAt: verification.createdAt }
    return lease
  })
  const waiting = yield* begun
  const needed = { ...FreshVerification.needsConsent(waiting), providerReference: Fresh.randomText("VR") }
  yield* kyc.settle(FreshVerification.progressOf(waiting, needed, { dueAt: waiting.verification.createdAt }))
  const done = yield* begun
  yield* kyc.settle(FreshVerification.verifiedBy(done))
  return { consumer, scope, leased: leased.leased, waiting: waiting.verification, done: done.verification }
})

export const tellsVerificationEnds = law(
  "ends every open verification of an erased person with its event, leased or not, and fences late results",
  Effect.gen(function* () {
    const kyc = yield* KycStore
    const log = yield* EventLog
    const ledger = yield* Ledger
    const { consumer, done, leased, scope, waiting } = yield* verifications
    const endpoint = yield* FreshEndpoint.make(scope, { topics: [completed] })
    const [before] = yield* eventsOf(scope, completed)
    const at = yield* Fresh.now
    const { pseudonym } = yield* ErasureAttempt.erased(consumer, { at })
    const sent = (yield* eventsOf(scope, completed)).filter(({ id }) => id !== before?.id)
    const bodyOf = ({ createdAt, id, kind, provider, serviceId }: typeof waiting) => ({
      reference: id,
      status: "ERROR",
      kind,
      serviceId,
      userId: pseudonym,
      checks: {
        date_of_birth: "NOT_CHECKED",
        first_name: "NOT_CHECKED",
        last_name: "NOT_CHECKED",
        selfie: "NOT_CHECKED"
      },
      failureReason: "person_erased",
      provider,
      createdAt: DateTime.formatIso(createdAt),
      completedAt: DateTime.formatIso(at)
    })
    assert.sameDeepMembers(
      sent.map(({ body }) => decodeBody(body)),
      [bodyOf(leased.verification), bodyOf(waiting)]
    )
    for (const { id } of sent) {
      const deliveries = yield* log.deliveries(scope, id)
      assert.deepStrictEqual(
        deliveries.map(({ delivery }) => [delivery.endpointId, delivery.status]),
        [[endpoint.id, "PENDING"]]
      )
    }
    const until = Fresh.later(at, FreshVerification.leaseMinute)
    assert.isFalse(yield* kyc.reroute(leased, "another", until), "no other provider is asked")
    const late = FreshVerification.verifiedBy(leased)
    assertEquals(yield* kyc.settle(late), Option.none(), "the provider's late result is not stored")
    const call = { provider: "fake", reference: leased.verification.id, providerReference: undefined }
    assertEquals(yield* kyc.leaseCalled(call, until), Option.none(), "nor is its callback's")
    assert.lengthOf(yield* eventsOf(scope, completed), 3, "each end has one event")
    const faults = yield* ledger.audit
    const subjects: ReadonlyArray<string> = [leased.verification.id, waiting.id, done.id, ...sent.map(({ id }) => id)]
    assert.deepStrictEqual(
      faults.filter(({ subject }) => subjects.some((id) => subject.includes(id))),
      []
    )
  })
)

export const keepsUpWithVerifications = law(
  "rejects a plan that misses a verification begun since, or ends one that has ended since",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const kyc = yield* KycStore
    const stale = Effect.fnUntraced(function* (
      what: string,
      change: (begun: FreshVerification.Begun) => Effect.Effect<unknown, unknown, KycStore>
    ) {
      const begun = yield* FreshVerification.make()
      const plan = yield* ErasureAttempt.planned(begun.consumer)
      assert.lengthOf(plan.verifications, 1)
      yield* change(begun)
      const before = yield* eventsOf(begun.scope, completed)
      assert.isFalse(yield* store.erase(plan), what)
      assert.deepStrictEqual(yield* eventsOf(begun.scope, completed), before, what)
      yield* ErasureAttempt.erased(begun.consumer)
    })
    yield* stale("another verification", ({ consumer, scope }) => FreshVerification.attempt(scope, consumer))
    yield* stale("one that has ended", ({ leased }) => kyc.settle(FreshVerification.verifiedBy(leased)))
  })
)

export const endsVerificationsOnce = law(
  "ends a verification once if its result and the erasure race",
  Effect.gen(function* () {
    const kyc = yield* KycStore
    const log = yield* VerificationLog
    yield* Effect.forEach(
      [true, false, true, false],
      (isResultFirst) =>
        Effect.gen(function* () {
          const { consumer, leased, scope } = yield* FreshVerification.make()
          const settle = kyc.settle(FreshVerification.verifiedBy(leased))
          const erase = Effect.asVoid(ErasureAttempt.erased(consumer))
          const [result] = isResultFirst
            ? yield* Effect.all([settle, erase], { concurrency: "unbounded" })
            : yield* Effect.map(Effect.all([erase, settle], { concurrency: "unbounded" }), ([, late]) => [late])
          const sent = yield* eventsOf(scope, completed)
          const { data } = yield* log.listAll(scope, { limit: 10, cursor: undefined })
          const end = Option.isSome(result ?? Option.none()) ? "VERIFIED" : "ERROR"
          assert.deepStrictEqual([data.map(({ status }) => status), sent.length], [[end], 1])
          assert.isFalse(
            sent.some(({ body }) => body.includes(`"${consumer.userId}"`)),
            "no event names the user id"
          )
        }),
      { discard: true }
    )
  })
)

export const expiresWhatIsOver = law(
  "records a request and a grant that lapsed before the erasure as expired, with receipt and event",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const { grant } = yield* ConsentAttempt.given(scope, consumer)
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { fields: ["email"] })
    const at = DateTime.max(request.expiresAt, grant.expiresAt)
    const plan = yield* ErasureAttempt.erased(consumer, { at })
    const expired = Option.getOrThrow(yield* log.findRequest({ id: request.id, scope: undefined }))
    assertEquals(
      [expired.status, expired.decidedBy, expired.decidedAt, expired.userId],
      ["EXPIRED", undefined, undefined, plan.pseudonym]
    )
    const ended = Option.getOrThrow(yield* log.findGrant({ id: grant.id, scope: undefined }))
    assert.strictEqual(ended.status, "EXPIRED")
    assert.lengthOf(yield* eventsOf(scope, "merchant.identity.request.expired"), 1)
    assert.lengthOf(yield* eventsOf(scope, "merchant.identity.consent_expired"), 1)
    const chain = yield* FreshConsent.soundChain(scope)
    assert.lengthOf(
      chain.filter(({ body }) => body.includes('"state":"EXPIRED"')),
      2
    )
  })
)

export const laws = [tellsVerificationEnds, keepsUpWithVerifications, endsVerificationsOnce, expiresWhatIsOver]
