import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { type AfterAttempt, DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import { disabledEvent } from "@surety/core/event/disabledEvent"
import { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { KycStore } from "@surety/core/kyc/KycStore"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { type DateTime, Effect, Option } from "effect"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as FreshConsent from "../consent/FreshConsent.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { expectFailure, law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPendingRefund from "../refund/FreshPendingRefund.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const toldTo = Effect.fnUntraced(function* (scope: MerchantScope, topic: DomainEvent["topic"]) {
  const log = yield* EventLog
  return (yield* PageWalk.all((page) => log.list(scope, page, topic), 100)).map(FreshEvent.unplaced)
})

/** Stores an event. Returns a function that makes an event impossible to store, by giving it the stored event's id. */
const withTakenId = Effect.fnUntraced(function* (scope: MerchantScope) {
  const { id } = yield* FreshEvent.make(scope, yield* Fresh.now)
  return (event: DomainEvent): DomainEvent => ({ ...event, id })
})

export const consentEndsAreTold = law(
  "has an event of a grant's end and of a request's expiry exactly if they are committed",
  Effect.gen(function* () {
    const log = yield* ConsentLog
    const { consumer, scope } = yield* FreshConsent.parties()
    const spoil = yield* withTakenId(scope)
    const { grant } = yield* ConsentAttempt.given(scope, consumer)
    const impossible = ConsentAttempt.end(grant.id, ConsentAttempt.revoke, {
      change: (plan) => ({ ...plan, event: spoil(plan.event) })
    })
    yield* expectFailure("a revocation whose event's id is taken", impossible)
    assertEquals(yield* log.findGrant({ id: grant.id, scope }), Option.some(grant), "it is in force")
    assert.lengthOf(yield* toldTo(scope, "merchant.identity.consent_revoked"), 0)
    const { event } = yield* ConsentAttempt.revoked(grant)
    assertEquals(yield* toldTo(scope, "merchant.identity.consent_revoked"), [event])

    const { request } = yield* ConsentAttempt.askedAnew(scope, consumer, { purpose: "another" })
    const at = request.expiresAt
    const expire = { _tag: "Expire" } as const
    const unstorable = ConsentAttempt.decide(request.id, expire, {
      at,
      change: (plan) => ({ ...plan, events: plan.events.map(spoil) })
    })
    yield* expectFailure("an expiry whose event's id is taken", unstorable)
    assertEquals(yield* log.findRequest({ id: request.id, scope }), Option.some(request), "it is pending")
    const expired = yield* ConsentAttempt.decided(request.id, expire, { at })
    assert.lengthOf(expired.events, 1)
    assertEquals(yield* toldTo(scope, "merchant.identity.request.expired"), [...expired.events])
  })
)

export const verificationEndsAreTold = law(
  "has an event of a verification's end exactly if it is committed, once, also if it has ended at once",
  Effect.gen(function* () {
    const store = yield* KycStore
    const begun = yield* FreshVerification.make()
    const { leased, scope } = begun
    const told = toldTo(scope, "kyc.verification.completed")
    const spoil = yield* withTakenId(scope)
    const progress = FreshVerification.verifiedBy(leased)
    const event = progress.event ?? assert.fail("an end has an event")
    yield* expectFailure("an end whose event's id is taken", store.settle({ ...progress, event: spoil(event) }))
    assert.lengthOf(yield* told, 0)
    const found = yield* store.find(scope, leased.verification.id)
    assert.isTrue(Option.exists(found, ({ status }) => status === "PENDING"))
    assert.isTrue(Option.isSome(yield* store.settle(progress)))
    assertEquals(yield* told, [event])
    const late = FreshVerification.verifiedBy(leased)
    assert.isTrue(Option.isNone(yield* store.settle(late)), "it has ended")
    assertEquals(yield* told, [event])
    const failing = FreshVerification.attempt(scope, begun.consumer, { id: "1234" })
    const plan = FreshVerification.planOf(yield* failing)
    const atOnce = plan.event ?? assert.fail("a malformed number ends it at once")
    assert.sameDeepMembers(yield* told, [event, atOnce])
  })
)

export const failedRefundsAreTold = law(
  "has an event of a refund's failure exactly if it is committed",
  Effect.gen(function* () {
    const store = yield* RefundStore
    const pending = yield* FreshPendingRefund.make()
    const { refund, sale } = pending
    const told = toldTo(sale.scope, "refund.failed")
    const failure = FreshPendingRefund.failureOf(yield* FreshPendingRefund.leased(pending, 1), sale)
    const spoil = yield* withTakenId(sale.scope)
    const impossible = store.settleFailed({ ...failure, event: spoil(failure.event) })
    yield* expectFailure("a failure whose event's id is taken", impossible)
    assertEquals(yield* store.find(sale.scope, refund.id), Option.some(refund), "it is pending")
    assert.lengthOf(yield* told, 0)
    assert.isTrue(yield* store.settleFailed(failure))
    assert.isFalse(yield* store.settleFailed(failure))
    assertEquals(yield* told, [failure.event])
  })
)

const disabledNow = (endpoint: WebhookEndpoint, at: DateTime.Utc) =>
  Fresh.withRandom(disabledEvent(endpoint, "gone", at))

export const disabledEndpointsAreTold = law(
  "tells the merchant's other endpoints of one that was disabled, once, and of none that stayed enabled",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const log = yield* EventLog
    const start = yield* Fresh.longAgo
    const at = Fresh.later(start, FreshEvent.minute)
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make({ at: start }))
    const failing = yield* FreshEndpoint.make(scope, {
      at: start,
      topics: ["transaction.settled", "endpoint.disabled"]
    })
    const other = yield* FreshEndpoint.make(scope, { at: start, topics: ["endpoint.disabled"] })
    yield* FreshEndpoint.make(scope, { at: start, topics: ["refund.completed"] })
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), 4)
    const dues = yield* FreshEvent.claim(at)
    const told = toldTo(scope, "endpoint.disabled")
    const plan = (event: DomainEvent, onlyIf?: DateTime.Utc): AfterAttempt => ({
      _tag: "DisableEndpoint",
      reason: "gone",
      event,
      ...(onlyIf === undefined ? {} : { onlyIf: { failingSince: onlyIf } }),
      otherwise: { _tag: "GiveUp" }
    })
    const [first, ...rest] = dues
    if (first === undefined) return assert.fail("four are due")
    const unmoved = plan(yield* disabledNow(failing, at), start)
    yield* queue.settle(first, FreshEvent.attemptOf(first, at), unmoved)
    assert.lengthOf(yield* told, 0, "it has not been failing since then")
    const events = yield* Effect.forEach(
      rest,
      (due) =>
        Effect.gen(function* () {
          const event = yield* disabledNow(failing, at)
          yield* queue.settle(due, FreshEvent.attemptOf(due, at), plan(event))
          return event
        }),
      { concurrency: "unbounded" }
    )
    const [only, ...more] = yield* told
    assert.lengthOf(more, 0)
    const event = only ?? assert.fail("the event is sent")
    assertEquals(
      events.filter(({ id }) => id === event.id),
      [event]
    )
    const deliveries = yield* log.deliveries(scope, event.id)
    assert.deepStrictEqual(
      deliveries.map(({ delivery }) => delivery.endpointId),
      [other.id]
    )
  })
)

export const tellsOfTheAttemptThatDisabled = law(
  "stores the event of an attempt that disables an endpoint, not of one recorded with it whose condition fails",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const start = yield* Fresh.longAgo
    const at = Fresh.later(start, FreshEvent.minute)
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make({ at: start }))
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    yield* FreshEndpoint.make(scope, { at: start, topics: ["endpoint.disabled"] })
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), 12)
    const dues = yield* FreshEvent.claim(at)
    const stale = { failingSince: start }
    const otherwise = { _tag: "GiveUp" } as const
    const gone = yield* disabledNow(endpoint, at)
    const failing = yield* disabledNow(endpoint, at)
    yield* Effect.forEach(
      dues,
      (due, index) =>
        queue.settle(
          due,
          FreshEvent.attemptOf(due, at),
          index === dues.length - 1
            ? { _tag: "DisableEndpoint", reason: "gone", event: gone, otherwise }
            : { _tag: "DisableEndpoint", reason: "failing", event: failing, onlyIf: stale, otherwise }
        ),
      { concurrency: "unbounded" }
    )
    assertEquals(yield* toldTo(scope, "endpoint.disabled"), [gone])
  })
)

export const disablingByHandIsTold = law(
  "stores the event of a change that disables an endpoint exactly if it stores the change",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const start = yield* Fresh.longAgo
    const at = Fresh.later(start, FreshEvent.minute)
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make({ at: start }))
    const endpoint = yield* FreshEndpoint.make(scope, { at: start })
    const disabled: WebhookEndpoint = { ...endpoint, status: "DISABLED", disabledAt: at, updatedAt: at }
    const event = yield* disabledNow(endpoint, at)
    const spoil = yield* withTakenId(scope)
    yield* expectFailure("a change whose event's id is taken", store.replace(endpoint, disabled, spoil(event)))
    assertEquals(yield* store.find(scope.merchantId, endpoint.id), Option.some(endpoint))
    assert.isTrue(yield* store.replace(endpoint, disabled, event))
    const late = yield* disabledNow(endpoint, at)
    assert.isFalse(yield* store.replace(endpoint, disabled, late), "it was changed since")
    assertEquals(yield* toldTo(scope, "endpoint.disabled"), [event])
  })
)

export const laws = [
  consentEndsAreTold,
  verificationEndsAreTold,
  failedRefundsAreTold,
  disabledEndpointsAreTold,
  tellsOfTheAttemptThatDisabled,
  disablingByHandIsTold
]
