import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import { ManagementLinkStore } from "@surety/core/consent/link/ManagementLinkStore"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { KycStore } from "@surety/core/kyc/KycStore"
import type { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import { PersonLog } from "@surety/core/person/PersonLog"
import { PersonStore } from "@surety/core/person/PersonStore"
import type { RightsRequestStore } from "@surety/core/person/RightsRequestStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, type Layer, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import * as Fresh from "../FreshIds.js"
import { type Law, law, suiteOf } from "../Law.js"
import * as AfterErasureLaws from "./AfterErasureLaws.js"
import * as ErasureAttempt from "./ErasureAttempt.js"
import * as ErasureEndLaws from "./ErasureEndLaws.js"
import * as ErasureMoneyLaws from "./ErasureMoneyLaws.js"
import * as ErasureRaceLaws from "./ErasureRaceLaws.js"
import * as RestrictionLaws from "./RestrictionLaws.js"

export type PersonStorePorts =
  | PersonStore
  | PersonLog
  | RightsRequestStore
  | ConsentStore
  | ConsentLog
  | ManagementLinkStore
  | CodeChallengeStore
  | ConsumerStore
  | MerchantStore
  | PaymentStore
  | RefundStore
  | Ledger
  | KycStore
  | VerificationLog
  | EventLog
  | DeliveryQueue
  | WebhookEndpointStore

export const findsPeople = law(
  "finds a person by the identifier in its own environment, with the host's key and a restriction in force",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const consumers = yield* ConsumerStore
    const consumer = { ...(yield* FreshConsumer.unstored("LIVE")), externalId: Fresh.randomText("host") }
    assert.isTrue(yield* consumers.insert(consumer, undefined))
    const { environment, externalId, userId, serviceId } = consumer
    const person = { environment, userId, serviceId, externalId }
    assertEquals(yield* store.find("LIVE", serviceId), Option.some(person))
    assertEquals(yield* store.find("TEST", serviceId), Option.none())
    const at = yield* Fresh.now
    yield* store.restrict("LIVE", serviceId, at)
    assertEquals(yield* store.find("LIVE", serviceId), Option.some({ ...person, restrictedAt: at }))
  })
)

export const endsConsents = law(
  "ends an erased person's grants with a receipt each, whole chains included, and cancels pending requests",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const { consumer: neighbour, scope: other } = yield* FreshConsent.parties()
    const grants = yield* Effect.forEach([scope, scope, other], (of) =>
      Effect.map(ConsentAttempt.given(of, consumer, { purpose: Fresh.randomText("purpose") }), ({ grant }) => grant)
    )
    const { grant: theirs } = yield* ConsentAttempt.given(scope, neighbour)
    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { fields: ["email"] })
    const plan = yield* ErasureAttempt.erased(consumer)
    for (const { id } of grants) {
      const ended = Option.getOrThrow(yield* log.findGrant({ id, scope: undefined }))
      assert.strictEqual(ended.status, "REVOKED")
      assert.strictEqual(ended.userId, plan.pseudonym)
      assert.deepStrictEqual(ended.revokedBy, { kind: "OPERATOR", name: "ada" })
    }
    assertEquals(yield* log.findGrant({ id: theirs.id, scope: undefined }), Option.some(theirs))
    const cancelled = Option.getOrThrow(yield* log.findRequest({ id: request.id, scope: undefined }))
    assert.strictEqual(cancelled.status, "CANCELLED")
    assert.strictEqual(cancelled.userId, plan.pseudonym)
    for (const of of [scope, other]) {
      const chain = yield* FreshConsent.soundChain(of)
      const revoked = chain.filter(({ body }) => body.includes('"state":"REVOKED"'))
      assert.lengthOf(revoked, of === scope ? 2 : 1)
      assert.isFalse(chain.some(({ userId }) => userId === consumer.userId))
    }
    assert.isUndefined(yield* ConsentAttempt.readable(scope, consumer))
    assert.strictEqual((yield* ConsentAttempt.give(scope, consumer))._tag, "Refuse")
    assert.strictEqual((yield* ConsentAttempt.ask(scope, consumer))._tag, "Refuse")
  })
)

export const removesPerson = law(
  "finds an erased person by no identifier, lists them no more, and never gives the identifier to another",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const consumers = yield* ConsumerStore
    const holdings = yield* PersonLog
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* consumers.link(FreshConsumer.linkOf(scope, consumer))
    yield* store.restrict("LIVE", consumer.serviceId, yield* Fresh.now)
    const at = yield* Fresh.now
    const { pseudonym } = yield* ErasureAttempt.erased(consumer, { at })
    assertEquals(yield* consumers.findByServiceId("LIVE", consumer.serviceId), Option.none())
    assertEquals(yield* holdings.holdings("LIVE", consumer.serviceId), Option.none())
    assertEquals(yield* store.erasure("LIVE", consumer.serviceId), Option.none())
    assertEquals(yield* store.restrict("LIVE", consumer.serviceId, at), Option.none())
    const { data: linked } = yield* consumers.listLinked(scope.merchantId, "LIVE", { limit: 100, cursor: undefined })
    assert.isEmpty(linked)
    for (const userId of [consumer.userId, pseudonym]) {
      assert.isFalse(yield* consumers.isLinked(scope.merchantId, "LIVE", userId))
    }
    const { data } = yield* consumers.list("LIVE", { limit: 100, cursor: undefined })
    assert.isFalse(data.some(({ serviceId, userId }) => userId === pseudonym || serviceId === consumer.serviceId))
    const erased = Option.getOrThrow(yield* store.find("LIVE", consumer.serviceId))
    assertEquals(erased, { environment: "LIVE", userId: pseudonym, serviceId: consumer.serviceId, erasedAt: at })
    const fresh = yield* FreshConsumer.unstored("LIVE")
    assert.isFalse(
      yield* consumers.insert({ ...fresh, serviceId: consumer.serviceId }, FreshConsumer.linkOf(scope, fresh)),
      "the identifier is never issued again"
    )
    assert.isTrue(
      yield* consumers.insert({ ...fresh, userId: consumer.userId }, undefined),
      "a new record of the person may be made"
    )
  })
)

export const removesWaysIn = law(
  "leaves of an erased person no link to a page, no one-time code and no block, and of others all of them",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const links = yield* ManagementLinkStore
    const codes = yield* CodeChallengeStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { consumer: neighbour } = yield* FreshConsent.parties()
    const now = yield* Fresh.now
    const codeName = Fresh.randomText("person")
    const waysTo = Effect.fnUntraced(function* (person: typeof consumer) {
      const { link, request } = yield* ConsentAttempt.askedAnew(scope, person)
      const consentHash = link?.tokenHash ?? assert.fail("a person is asked by a link")
      const managementHash = ConsentTokenHash.make(Fresh.sha256(Fresh.randomText("token"), "hex"))
      yield* ConsentAttempt.decided(request.id, ConsentAttempt.disown)
      const { environment, userId, serviceId } = person
      const expiresAt = Fresh.later(now, 60_000)
      yield* links.keep({ tokenHash: managementHash, environment, userId, serviceId, createdAt: now, expiresAt })
      for (const name of [consentHash, managementHash]) yield* keepCode(name)
      return { consentHash, managementHash }
    })
    const keepCode = (name: ConsentTokenHash) =>
      codes.change(name, () => ({
        answer: undefined,
        next: {
          codeHash: undefined,
          triesLeft: 5,
          expiresAt: Fresh.later(now, 60_000),
          sends: 1,
          windowEndsAt: Fresh.later(now, 60_000)
        }
      }))
    const codeOf = (name: ConsentTokenHash) => codes.change(name, (current) => ({ answer: current, next: undefined }))
    const mine = yield* waysTo(consumer)
    const theirs = yield* waysTo(neighbour)
    yield* keepCode(ConsentTokenHash.make(codeName))
    yield* ErasureAttempt.erased(consumer, { codeName })
    assertEquals(yield* log.findByToken(mine.consentHash), Option.none())
    assertEquals(yield* links.find(mine.managementHash), Option.none())
    for (const name of [mine.consentHash, mine.managementHash, ConsentTokenHash.make(codeName)]) {
      assert.isUndefined(yield* codeOf(name))
    }
    assert.isTrue(Option.isSome(yield* log.findByToken(theirs.consentHash)))
    assert.isTrue(Option.isSome(yield* links.find(theirs.managementHash)))
    for (const name of Object.values(theirs)) assert.isDefined(yield* codeOf(name))
    const { data: blocks } = yield* log.listBlocks(scope, { userId: undefined }, { limit: 100, cursor: undefined })
    assert.deepStrictEqual(
      blocks.map(({ userId }) => userId),
      [neighbour.userId]
    )
  })
)

export const erasesWhole = law(
  "erases no one on a plan that no longer stands: another grant, another request, or one that has ended",
  Effect.gen(function* () {
    const store = yield* PersonStore
    const consumers = yield* ConsumerStore
    const stale = Effect.fnUntraced(function* (
      what: string,
      change: (parties: FreshConsent.Parties) => Effect.Effect<unknown, unknown, PersonStorePorts>
    ) {
      const { consumer, scope } = yield* FreshConsent.parties()
      yield* ConsentAttempt.given(scope, consumer)
      const plan = yield* ErasureAttempt.planned(consumer)
      yield* change({ consumer, scope })
      const before = yield* FreshConsent.traceOf(scope)
      assert.isFalse(yield* store.erase(plan), what)
      assertEquals(yield* consumers.findByServiceId("LIVE", consumer.serviceId), Option.some(consumer), what)
      assertEquals(yield* FreshConsent.traceOf(scope), before, what)
      yield* FreshConsent.soundChain(scope)
    })
    yield* stale("another grant", ({ consumer, scope }) => ConsentAttempt.given(scope, consumer, { purpose: "other" }))
    yield* stale("another request", ({ consumer, scope }) =>
      ConsentAttempt.askedAnew(scope, consumer, { fields: ["email"] })
    )
    yield* stale("an ended grant", ({ scope }) =>
      Effect.gen(function* () {
        const [grant] = (yield* FreshConsent.traceOf(scope)).grants
        yield* ConsentAttempt.revoked(grant ?? assert.fail("there is a grant"))
      })
    )
    const { consumer } = yield* FreshConsent.parties()
    const plan = yield* ErasureAttempt.planned(consumer)
    const once = yield* Effect.replicateEffect(store.erase(plan), 10, { concurrency: "unbounded" })
    assert.lengthOf(once.filter(Boolean), 1, "of many at once one erases")
  })
)

export const laws: ReadonlyArray<Law<PersonStorePorts>> = [
  findsPeople,
  ...RestrictionLaws.laws,
  endsConsents,
  removesPerson,
  removesWaysIn,
  erasesWhole,
  ErasureRaceLaws.winsRaces,
  ...ErasureEndLaws.laws,
  ...ErasureMoneyLaws.laws,
  ...AfterErasureLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<PersonStorePorts, unknown>) => void = suiteOf(
  "PersonStore",
  laws
)
