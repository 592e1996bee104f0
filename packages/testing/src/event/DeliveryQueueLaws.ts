import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type AfterAttempt, DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as DeliveryClaimLaws from "./DeliveryClaimLaws.js"
import * as DeliveryFailingLaws from "./DeliveryFailingLaws.js"
import * as DeliveryPaceLaws from "./DeliveryPaceLaws.js"
import * as DeliveryStatsLaws from "./DeliveryStatsLaws.js"
import * as FreshEndpoint from "./FreshEndpoint.js"
import * as FreshEvent from "./FreshEvent.js"

type Ports =
  | DeliveryQueue
  | EventLog
  | WebhookEndpointStore
  | MerchantStore
  | ConsumerStore
  | PaymentStore
  | RefundStore

const { minute } = FreshEvent

const claimed = Effect.gen(function* () {
  const start = yield* Fresh.longAgo
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const endpoint = yield* FreshEndpoint.make(scope, { at: start })
  yield* FreshEvent.make(scope, start)
  const asOf = (minutes: number): DateTime.Utc => Fresh.later(start, minutes * minute)
  return { asOf, due: yield* FreshEvent.claimOne(asOf(1)), endpoint, scope, start }
})

const historyOf = Effect.fnUntraced(function* ({ delivery, event }: LeasedDelivery) {
  const [history, ...more] = yield* (yield* EventLog).deliveries(event, event.id)
  assert.isEmpty(more, "an event has one delivery for an endpoint")
  assert.strictEqual(history?.delivery.id, delivery.id)
  return { delivery: history?.delivery, attempts: [...(history?.attempts ?? [])] }
})

const endpointOf = Effect.fnUntraced(function* ({ endpoint }: LeasedDelivery) {
  return Option.getOrThrow(yield* (yield* WebhookEndpointStore).find(endpoint.merchantId, endpoint.id))
})

const refused = (due: LeasedDelivery, startedAt: DateTime.Utc): DeliveryAttempt => {
  const { responseBody: _, responseStatus: __, ...attempt } = FreshEvent.attemptOf(due, startedAt)
  return { ...attempt, error: "connection_refused" }
}

const recorded = Effect.fnUntraced(function* (due: LeasedDelivery, attempt: DeliveryAttempt, after: AfterAttempt) {
  const queue = yield* DeliveryQueue
  assert.isDefined((yield* queue.settle(due, attempt, after)).applied, `the holder's record is kept (${after._tag})`)
})

export const keepsDelivered = law(
  "keeps a successful attempt; the delivery is done and is never due again",
  Effect.gen(function* () {
    const { asOf, due, endpoint } = yield* claimed
    const attempt = FreshEvent.attemptOf(due, asOf(1))
    yield* recorded(due, attempt, { _tag: "Delivered" })
    const { nextAttemptAt: _, ...rest } = due.delivery
    assertEquals(yield* historyOf(due), {
      delivery: { ...rest, status: "DELIVERED", attempts: 1 },
      attempts: [attempt]
    })
    assertEquals(yield* endpointOf(due), endpoint)
    assertEquals([...(yield* FreshEvent.claim(asOf(10_000)))], [])
  })
)

export const retries = law(
  "keeps a failed attempt and makes the delivery due again when it says, each time; the attempts oldest first",
  Effect.gen(function* () {
    const { asOf, due } = yield* claimed
    const first = refused(due, asOf(1))
    yield* recorded(due, first, { _tag: "Retry", at: asOf(20) })
    assertEquals(yield* historyOf(due), {
      delivery: { ...due.delivery, attempts: 1, nextAttemptAt: asOf(20) },
      attempts: [first]
    })
    assertEquals([...(yield* FreshEvent.claim(asOf(19)))], [], "not before, though the lease has ended")
    const again = yield* FreshEvent.claimOne(asOf(20))
    assert.strictEqual(again.delivery.attempts, 1)
    const second = { ...FreshEvent.attemptOf(again, asOf(20)), responseStatus: 503, responseBody: "later, please" }
    assert.strictEqual(second.number, 2)
    yield* recorded(again, second, { _tag: "Retry", at: asOf(40) })
    assertEquals((yield* historyOf(due)).attempts, [first, second])
    assert.strictEqual((yield* FreshEvent.claimOne(asOf(40))).delivery.attempts, 2)
  })
)

export const givesUp = law(
  "keeps the last attempt of a delivery that is given up; it has failed and is never due again",
  Effect.gen(function* () {
    const { asOf, due } = yield* claimed
    const attempt = refused(due, asOf(1))
    yield* recorded(due, attempt, { _tag: "GiveUp" })
    const { nextAttemptAt: _, ...rest } = due.delivery
    assertEquals(yield* historyOf(due), { delivery: { ...rest, status: "FAILED", attempts: 1 }, attempts: [attempt] })
    assertEquals([...(yield* FreshEvent.claim(asOf(10_000)))], [])
    assert.strictEqual((yield* endpointOf(due)).status, "ENABLED")
  })
)

export const notesFailing = law(
  "notes on the endpoint since when it has been failing: from the first failure on, until a success",
  Effect.gen(function* () {
    const { asOf, due, endpoint } = yield* claimed
    yield* recorded(due, refused(due, asOf(1)), { _tag: "Retry", at: asOf(20) })
    const { failingSince: since } = yield* endpointOf(due)
    if (since === undefined) return assert.fail("it is failing")
    assert.isTrue(DateTime.between(since, { minimum: asOf(1), maximum: Fresh.later(asOf(1), 120) }))
    const second = yield* FreshEvent.claimOne(asOf(20))
    assertEquals(second.endpoint.failingSince, since, "a sender sees it")
    yield* recorded(second, refused(second, asOf(20)), { _tag: "Retry", at: asOf(40) })
    assertEquals((yield* endpointOf(due)).failingSince, since, "the second failure moves nothing")
    const third = yield* FreshEvent.claimOne(asOf(40))
    yield* recorded(third, FreshEvent.attemptOf(third, asOf(40)), { _tag: "Delivered" })
    assertEquals(yield* endpointOf(due), endpoint)
  })
)

export const disablesEndpoint = law(
  "disables the endpoint with the reason; its other deliveries wait, and no change begun before enables it unseen",
  Effect.gen(function* () {
    const store = yield* WebhookEndpointStore
    const { asOf, due, endpoint, scope, start } = yield* claimed
    yield* FreshEvent.make(scope, Fresh.later(start, 1))
    const attempt = { ...FreshEvent.attemptOf(due, asOf(1)), responseStatus: 410 }
    yield* recorded(due, attempt, {
      _tag: "DisableEndpoint",
      reason: "It answered 410 Gone.",
      otherwise: { _tag: "GiveUp" }
    })
    const { delivery } = yield* historyOf(due)
    assert.strictEqual(delivery?.status, "FAILED")
    assert.isUndefined(delivery?.nextAttemptAt)
    const disabled = yield* endpointOf(due)
    assert.strictEqual(disabled.status, "DISABLED")
    assert.strictEqual(disabled.disabledReason, "It answered 410 Gone.")
    assertEquals([...(yield* FreshEvent.claim(asOf(10)))], [])
    const moved = { ...endpoint, url: "https://moved.example/", updatedAt: Fresh.later(endpoint.updatedAt, minute * 9) }
    assert.isFalse(yield* store.replace(endpoint, moved))
    assertEquals(disabled.disabledAt, Fresh.later(asOf(1), attempt.durationMillis))
    const { disabledAt: _, disabledReason: __, failingSince: ___, ...rest } = disabled
    const enabled = { ...rest, status: "ENABLED" as const, updatedAt: asOf(11) }
    assert.isTrue(yield* store.replace(disabled, enabled))
    assertEquals((yield* FreshEvent.claimOne(asOf(12))).endpoint, enabled)
  })
)

export const recordsOnce = law(
  "keeps exactly one of many records of the same claim, at once or one after the other",
  Effect.gen(function* () {
    const queue = yield* DeliveryQueue
    const { asOf, due } = yield* claimed
    const attempt = FreshEvent.attemptOf(due, asOf(1))
    const retry = { _tag: "Retry", at: asOf(20) } as const
    const kept = yield* Effect.replicateEffect(queue.settle(due, attempt, retry), 20, { concurrency: "unbounded" })
    assert.lengthOf(
      kept.filter(({ applied }) => applied === "Retry"),
      1
    )
    assert.isUndefined((yield* queue.settle(due, attempt, { _tag: "Delivered" })).applied)
    assertEquals(yield* historyOf(due), {
      delivery: { ...due.delivery, attempts: 1, nextAttemptAt: asOf(20) },
      attempts: [attempt]
    })
  })
)

export const laws = [
  ...DeliveryClaimLaws.laws,
  ...DeliveryPaceLaws.laws,
  ...DeliveryFailingLaws.laws,
  ...DeliveryStatsLaws.laws,
  keepsDelivered,
  retries,
  givesUp,
  notesFailing,
  disablesEndpoint,
  recordsOnce
]

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>(
  "DeliveryQueue",
  laws
)
