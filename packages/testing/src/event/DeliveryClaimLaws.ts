import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { DeliveryQueue, endpointShare, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

const { minute } = FreshEvent

const receivers = Effect.fnUntraced(function* (count: number) {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoints = yield* Effect.forEach(Array.from({ length: count }), () => FreshEndpoint.make(scope, { at: start }))
  return { start, scope, endpoints, asOf: (minutes: number): DateTime.Utc => Fresh.later(start, minutes * minute) }
})

const eventIds = (dues: ReadonlyArray<LeasedDelivery>) => dues.map(({ event }) => event.id)

export const claimsWhatIsDue = law(
  "takes a delivery when it is due, with its event and its endpoint, and not before",
  Effect.gen(function* () {
    const events = yield* EventLog
    const { asOf, endpoints, scope } = yield* receivers(1)
    const event = yield* FreshEvent.make(scope, asOf(10))
    assertEquals([...(yield* FreshEvent.claim(asOf(5)))], [])
    const due = yield* FreshEvent.claimOne(asOf(10))
    const [history] = yield* events.deliveries(scope, event.id)
    assertEquals(due, {
      delivery: history?.delivery ?? due.delivery,
      event: { ...event, sequence: due.event.sequence },
      endpoint: endpoints[0] ?? due.endpoint,
      fence: due.fence
    })
    assert.strictEqual(due.delivery.status, "PENDING")
    assert.strictEqual(due.delivery.attempts, 0)
  })
)

export const longestDueFirst = law(
  "takes the longest due first, and no more than the limit",
  Effect.gen(function* () {
    const { asOf, scope } = yield* receivers(1)
    const second = yield* FreshEvent.make(scope, asOf(2))
    const third = yield* FreshEvent.make(scope, asOf(3))
    const first = yield* FreshEvent.make(scope, asOf(1))
    assertEquals(eventIds(yield* FreshEvent.claim(asOf(5), { limit: 2 })), [first.id, second.id])
    assertEquals(eventIds(yield* FreshEvent.claim(asOf(5), { limit: 2 })), [third.id])
  })
)

export const oneSenderEach = law(
  "gives a delivery to one sender at a time, of 20 that claim at once, and leaves none behind",
  Effect.gen(function* () {
    const { asOf, scope, start } = yield* receivers(3)
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), 10)
    const claims = yield* Effect.replicateEffect(FreshEvent.claim(asOf(1), { limit: 3 }), 20, {
      concurrency: "unbounded"
    })
    const rest = yield* FreshEvent.claim(asOf(1))
    const ids = [...claims.flat(), ...rest].map(({ delivery }) => delivery.id)
    assert.isTrue(claims.every((claim) => claim.length <= 3))
    assert.strictEqual(new Set(ids).size, ids.length, "none is with two senders")
    assert.lengthOf(ids, 30)
  })
)

export const fairBetweenEndpoints = law(
  "has no more than `perEndpoint` deliveries of an endpoint with senders, however many claim at once",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, endpoints, scope, start } = yield* receivers(2)
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), 6)
    const claims = yield* Effect.replicateEffect(FreshEvent.claim(asOf(1), { perEndpoint: 2 }), 20, {
      concurrency: "unbounded"
    })
    const dues = [...claims.flat(), ...(yield* FreshEvent.claim(asOf(1), { perEndpoint: 2 }))]
    for (const { id } of endpoints) {
      assert.lengthOf(
        dues.filter(({ endpoint }) => endpoint.id === id),
        2
      )
    }
    const [sent] = dues
    if (sent === undefined) return assert.fail("four are claimed")
    assert.isDefined((yield* queue.settle(sent, FreshEvent.attemptOf(sent, asOf(1)), { _tag: "Delivered" })).applied)
    const next = yield* FreshEvent.claim(asOf(1), { perEndpoint: 2 })
    assert.deepStrictEqual(
      next.map(({ endpoint }) => endpoint.id),
      [sent.endpoint.id],
      "one more of the endpoint that has one less"
    )
    assert.lengthOf(yield* FreshEvent.claim(asOf(3), { perEndpoint: 2 }), 4, "what a lost sender had counts no more")
  })
)

export const takesShares = law(
  "takes an endpoint's share at least, however many others something waits for, and the rest when it is asked again",
  Effect.gen(function* () {
    const others = yield* receivers(10)
    yield* FreshEvent.make(others.scope, others.asOf(10))
    const { asOf, scope, start } = yield* receivers(1)
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), endpointShare + 4)
    const first = yield* FreshEvent.claim(asOf(1))
    const second = yield* FreshEvent.claim(asOf(1))
    assert.isAtLeast(first.length, endpointShare)
    assert.strictEqual(first.length + second.length, endpointShare + 4)
  })
)

export const takesTurns = law(
  "puts what gives an endpoint more than its share behind what others have waiting, however long it has been due",
  Effect.gen(function* () {
    const { asOf, endpoints, scope, start } = yield* receivers(1)
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), endpointShare + 3)
    const other = yield* receivers(1)
    const late = [yield* FreshEvent.make(other.scope, asOf(1)), yield* FreshEvent.make(other.scope, asOf(2))] as const
    const ofBacklog = (dues: ReadonlyArray<LeasedDelivery>) =>
      dues.filter(({ endpoint }) => endpoint.id === endpoints[0]?.id).length
    const first = yield* FreshEvent.claim(asOf(3), { limit: endpointShare + 1 })
    assert.strictEqual(ofBacklog(first), endpointShare)
    assert.include(eventIds(first), late[0].id)
    const second = yield* FreshEvent.claim(asOf(3), { limit: 1 })
    assertEquals(eventIds(second), [late[1].id], "its share is with senders")
    assert.strictEqual(ofBacklog(yield* FreshEvent.claim(asOf(3))), 3, "if no other endpoint waits, it has the rest")
  })
)

export const leasesEnd = law(
  "claims a leased delivery again only once the lease has ended by the caller's time, with a higher fence",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const events = yield* EventLog
    const { asOf, scope, start } = yield* receivers(1)
    const event = yield* FreshEvent.make(scope, start)
    const older = yield* FreshEvent.claimOne(asOf(1))
    assertEquals([...(yield* FreshEvent.claim(asOf(1.5)))], [])
    const newer = yield* FreshEvent.claimOne(asOf(2.5))
    assert.isAbove(newer.fence, older.fence)
    const attempt = FreshEvent.attemptOf(older, asOf(1))
    for (const after of [
      { _tag: "Delivered" },
      { _tag: "GiveUp" },
      { _tag: "DisableEndpoint", reason: "gone", otherwise: { _tag: "GiveUp" } }
    ] as const) {
      assert.isUndefined(
        (yield* queue.settle(older, attempt, after)).applied,
        "a record with an older fence is refused"
      )
    }
    const [history] = yield* events.deliveries(scope, event.id)
    assertEquals(history?.delivery, newer.delivery)
    assertEquals([...(history?.attempts ?? [])], [])
    assert.isDefined(
      (yield* queue.settle(newer, FreshEvent.attemptOf(newer, asOf(2.5)), { _tag: "Delivered" })).applied
    )
  })
)

export const lateIsNotLost = law(
  "still takes a record under an ended lease while no later lease exists",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* receivers(1)
    yield* FreshEvent.make(scope, start)
    const due = yield* FreshEvent.claimOne(asOf(1))
    assert.isDefined((yield* queue.settle(due, FreshEvent.attemptOf(due, asOf(5)), { _tag: "Delivered" })).applied)
    assertEquals([...(yield* FreshEvent.claim(asOf(10)))], [])
  })
)

export const releases = law(
  "takes back what a stopping sender releases, unsent and at once due; not what is with a later one",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* receivers(1)
    yield* Effect.replicateEffect(FreshEvent.make(scope, start), 2)
    const dues = yield* FreshEvent.claim(asOf(1))
    yield* queue.release(dues)
    const again = yield* FreshEvent.claim(asOf(1))
    assert.sameMembers([...eventIds(again)], [...eventIds(dues)])
    assert.isTrue(again.every(({ delivery }) => delivery.attempts === 0))
    yield* queue.release(dues)
    assertEquals([...(yield* FreshEvent.claim(asOf(1.5)))], [], "the earlier lease can be released no more")
    yield* queue.release([])
  })
)

export const skipsDisabled = law(
  "leaves the deliveries of a disabled endpoint waiting until it is enabled again",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const { asOf, endpoints, scope, start } = yield* receivers(2)
    const [before, other] = endpoints
    if (before === undefined || other === undefined) return assert.fail("there are two")
    yield* FreshEvent.make(scope, start)
    const disabled = { ...before, status: "DISABLED" as const, updatedAt: Fresh.later(before.updatedAt, 1) }
    assert.isTrue(yield* store.replace(before, disabled))
    const due = yield* FreshEvent.claimOne(asOf(1))
    assert.strictEqual(due.endpoint.id, other.id)
    const enabled = { ...disabled, status: "ENABLED" as const, updatedAt: Fresh.later(before.updatedAt, 2) }
    assert.isTrue(yield* store.replace(disabled, enabled))
    assertEquals((yield* FreshEvent.claimOne(asOf(1))).endpoint, enabled)
  })
)

export const claimsFailingApart = law(
  "claims the deliveries of failing endpoints and of the others apart, if that is asked for",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, scope, start } = yield* receivers(2)
    yield* FreshEvent.make(scope, start)
    const [failing, sound] = yield* FreshEvent.claim(asOf(1))
    if (failing === undefined || sound === undefined) return assert.fail("two are due")
    const retry = { _tag: "Retry", at: asOf(5) } as const
    assert.isDefined((yield* queue.settle(failing, FreshEvent.attemptOf(failing, asOf(1)), retry)).applied)
    yield* queue.release([sound])
    const claimed = (failingOnly: boolean | undefined) =>
      Effect.gen(function* () {
        const dues = yield* FreshEvent.claim(asOf(6), { failing: failingOnly })
        yield* queue.release(dues)
        return dues.map(({ endpoint }) => endpoint.id).sort()
      })
    assert.deepStrictEqual(yield* claimed(true), [failing.endpoint.id])
    assert.deepStrictEqual(yield* claimed(false), [sound.endpoint.id])
    assert.deepStrictEqual(yield* claimed(undefined), [failing.endpoint.id, sound.endpoint.id].sort())
  })
)

export const carriesTrace = law(
  "hands the trace of the request that caused an event to its sender",
  Effect.gen(function* () {
    const { asOf, scope, start } = yield* receivers(1)
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    const event = yield* FreshEvent.make(scope, start, { traceparent })
    assert.strictEqual(event.traceparent, traceparent)
    assertEquals(FreshEvent.unplaced((yield* FreshEvent.claimOne(asOf(1))).event), event)
  })
)

export const carriesTraceOfRefund = law(
  "hands the trace of a refund's request on with refund.completed",
  Effect.gen(function* () {
    const { asOf, scope, start } = yield* receivers(1)
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    const { payment } = yield* FreshPayment.settled({ scope, at: start })
    const { event } = yield* RefundAttempt.executed(scope, payment, {
      at: start,
      change: (plan) => ({ ...plan, event: plan.event && { ...plan.event, traceparent } })
    })
    assert.strictEqual(event?.traceparent, traceparent)
    const claimed = yield* FreshEvent.claim(asOf(1))
    const sent = claimed.find(({ event: { topic } }) => topic === "refund.completed")
    assertEquals(sent && FreshEvent.unplaced(sent.event), event)
  })
)

export const laws = [
  carriesTrace,
  carriesTraceOfRefund,
  claimsWhatIsDue,
  longestDueFirst,
  oneSenderEach,
  fairBetweenEndpoints,
  takesShares,
  takesTurns,
  leasesEnd,
  lateIsNotLost,
  releases,
  skipsDisabled,
  claimsFailingApart
]
