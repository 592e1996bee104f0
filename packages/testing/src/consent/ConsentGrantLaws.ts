import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { EventLog } from "@surety/core/event/EventLog"
import { Effect, Option } from "effect"
import * as FreshConsumer from "../consumer/FreshConsumer.js"
import { signalled } from "../event/DispatcherWakes.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as ConsentAttempt from "./ConsentAttempt.js"
import * as FreshConsent from "./FreshConsent.js"

export const commitsGrant = lawAlone(
  "commits a grant that is given without a request, with its receipt and its event, and wakes the dispatcher",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const events = yield* EventLog
    const { consumer, scope } = yield* FreshConsent.parties()
    yield* FreshEndpoint.make(scope)
    assert.isTrue(yield* signalled(ConsentAttempt.given(scope, consumer)))
    const { event, grant, receipt } = yield* ConsentAttempt.given(scope, consumer, { purpose: "to ship your order" })
    assertEquals(yield* log.findGrant({ id: grant.id, scope }), Option.some(grant))
    assertEquals(Option.map(yield* events.find(scope, event.id), FreshEvent.unplaced), Option.some(event))
    assert.lengthOf(yield* events.deliveries(scope, event.id), 1)
    const last = (yield* FreshConsent.soundChain(scope)).at(-1)
    assertEquals([last?.id, last?.body, last?.userId], [receipt.id, receipt.body, consumer.userId])
  })
)

export const refusesStranger = law(
  "refuses a grant for an unknown person, and stores nothing",
  Effect.gen(function* () {
    const { scope } = yield* FreshConsent.parties("LIVE")
    const stranger = yield* FreshConsumer.unstored("LIVE")
    const elsewhere = yield* FreshConsent.person("TEST")
    const decisions = [yield* ConsentAttempt.give(scope, stranger), yield* ConsentAttempt.give(scope, elsewhere)]
    assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Refuse: 2 })
    assertEquals([...(yield* FreshConsent.traceOf(scope)).grants], [])
  })
)

export const commitsEnd = law(
  "commits a grant's end with its receipt and its event, once; it stays as it ended",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const events = yield* EventLog
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const { grant: long } = yield* ConsentAttempt.given(scope, consumer, { at: now })
    const { grant: short } = yield* ConsentAttempt.given(scope, consumer, { at: now, lifetimeMillis: 10_000 })
    const revoked = yield* ConsentAttempt.revoked(long, { scope, at: Fresh.later(now, 1_000) })
    const expiry = yield* ConsentAttempt.end(short.id, { _tag: "Expire" }, { at: Fresh.later(now, 10_000) })
    const expired = Option.getOrThrow(expiry)
    assert.strictEqual(expired._tag, "Execute")
    const ended = [revoked, ...(expired._tag === "Execute" ? [expired.plan] : [])]
    assert.deepStrictEqual(
      ended.map(({ event }) => event.topic),
      ["merchant.identity.consent_revoked", "merchant.identity.consent_expired"]
    )
    for (const { event, grant, receipt } of ended) {
      assertEquals(Option.map(yield* events.find(scope, event.id), FreshEvent.unplaced), Option.some(event))
      assertEquals(yield* log.findGrant({ id: grant.id, scope }), Option.some(grant))
      const again = yield* ConsentAttempt.end(grant.id, ConsentAttempt.revoke, { at: Fresh.later(now, 20_000) })
      assertEquals(again, Option.some({ _tag: "Stands", grant }))
      const bodies = (yield* FreshConsent.soundChain(scope)).map(({ body }) => body)
      assert.lengthOf(
        bodies.filter((body) => body === receipt.body),
        1
      )
    }
    assert.lengthOf(yield* FreshConsent.soundChain(scope), 4)
    assert.lengthOf((yield* events.list(scope, { limit: 10, cursor: undefined })).data, 4, "two grants and two ends")
    const missing = yield* ConsentAttempt.end(Fresh.grantId(now), ConsentAttempt.revoke)
    assertEquals(missing, Option.none())
  })
)

export const oneEndWins = law(
  "ends a grant once of 20 revocations and expiries at once",
  Effect.gen(function* () {
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const { grant } = yield* ConsentAttempt.given(scope, consumer, { at: now, lifetimeMillis: 10_000 })
    const decisions = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => index % 2 === 0),
      (early) =>
        Effect.map(
          early
            ? ConsentAttempt.end(grant.id, ConsentAttempt.revoke, { at: Fresh.later(now, 9_000) })
            : ConsentAttempt.end(grant.id, { _tag: "Expire" }, { at: Fresh.later(now, 11_000) }),
          Option.getOrThrow
        ),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(ConsentAttempt.tally(decisions), { Execute: 1, Stands: 19 })
    assert.lengthOf(yield* FreshConsent.soundChain(scope), 2)
  })
)

export const linksWhileItLasts = law(
  "links the person to the merchant while a grant has not ended, and touches no link of the host's",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const { consumer, scope } = yield* FreshConsent.parties()
    const { environment, merchantId } = scope
    const isLinked = consumers.isLinked(merchantId, environment, consumer.userId)
    assert.isFalse(yield* isLinked)
    const { request } = yield* ConsentAttempt.asked(scope, consumer)
    assert.isFalse(yield* isLinked, "a request does not link a person")
    const approval = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
    assert.isTrue(yield* isLinked)
    const { grant: second } = yield* ConsentAttempt.given(scope, consumer)
    for (const stranger of yield* FreshMerchant.strangersTo(scope)) {
      assert.isFalse(yield* consumers.isLinked(stranger.merchantId, stranger.environment, consumer.userId))
    }
    yield* ConsentAttempt.revoked(approval.grant ?? assert.fail("an approval makes a grant"))
    assert.isTrue(yield* isLinked, "a grant is left")
    yield* ConsentAttempt.revoked(second)
    assert.isFalse(yield* isLinked)
    const { grant: third } = yield* ConsentAttempt.given(scope, consumer)
    yield* consumers.link(FreshConsumer.linkOf(scope, consumer))
    yield* ConsentAttempt.revoked(third)
    assert.isTrue(yield* isLinked, "the host has linked them")
  })
)

export const linksUntilEndIsRecorded = law(
  "links the person to the merchant until a grant's expiry is recorded, regardless of the time",
  Effect.gen(function* () {
    const consumers = yield* ConsumerStore
    const now = yield* Fresh.now
    const { consumer, scope } = yield* FreshConsent.parties()
    const isLinked = consumers.isLinked(scope.merchantId, scope.environment, consumer.userId)
    const at = Fresh.later(now, -10_000)
    const { grant } = yield* ConsentAttempt.given(scope, consumer, { at, lifetimeMillis: 5_000 })
    assert.isTrue(yield* isLinked)
    yield* ConsentAttempt.end(grant.id, { _tag: "Expire" }, { at: now })
    assert.isFalse(yield* isLinked)
  })
)

export const laws = [commitsGrant, refusesStranger, commitsEnd, oneEndWins, linksWhileItLasts, linksUntilEndIsRecorded]
