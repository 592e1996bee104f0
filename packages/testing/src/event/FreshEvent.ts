import { assert } from "@effect/vitest"
import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type DeliveryClaim, DeliveryQueue, type DueDelivery } from "@surety/core/event/DeliveryQueue"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import * as FreshPayment from "../payment/FreshPayment.js"

/** In milliseconds. */
export const minute = 60_000

/** A stored event, `transaction.settled`, of that moment. */
export const make = Effect.fnUntraced(function* (
  scope: MerchantScope,
  at: DateTime.Utc,
  options: Pick<DomainEvent, "traceparent"> = {}
) {
  const { payment } = yield* FreshPayment.unstored({ scope, at })
  const plan = FreshPayment.settlementOf(payment)
  const { event } = yield* FreshPayment.recorded({ ...plan, event: plan.event && { ...plan.event, ...options } })
  return event ?? assert.fail("a settlement has an event")
})

/** Claims deliveries as of that moment, for a minute; up to 100 of them unless told. */
export const claim = Effect.fnUntraced(function* (now: DateTime.Utc, options: Partial<DeliveryClaim> = {}) {
  const queue = yield* DeliveryQueue
  return yield* queue.claim({
    now,
    leaseUntil: Fresh.later(now, minute),
    limit: 100,
    perEndpoint: 100,
    ...options
  })
})

/** Claims the one delivery that is due as of that moment. */
export const claimOne = Effect.fnUntraced(function* (now: DateTime.Utc) {
  const [due, ...more] = yield* claim(now)
  assert.isEmpty(more, "no more than one delivery is due")
  return due ?? assert.fail("one delivery is due")
})

/** An attempt that was answered 200 within 120 ms; the delivery's next in number. */
export const attemptOf = ({ delivery }: DueDelivery, startedAt: DateTime.Utc): DeliveryAttempt => ({
  deliveryId: delivery.id,
  number: delivery.attempts + 1,
  startedAt,
  durationMillis: 120,
  responseStatus: 200,
  responseBody: "ok"
})
