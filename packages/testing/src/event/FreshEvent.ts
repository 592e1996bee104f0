import { assert } from "@effect/vitest"
import type { DeliveryAttempt } from "@surety/core/event/Delivery"
import { type DeliveryClaim, DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import type { DomainEvent, SequencedEvent } from "@surety/core/event/DomainEvent"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { DateTime } from "effect"
import { Effect } from "effect"
import * as Fresh from "../FreshIds.js"
import * as FreshPayment from "../payment/FreshPayment.js"

export const minute = 60_000

export const unplaced = ({ sequence: _, ...event }: SequencedEvent): DomainEvent => event

/** Settles a new payment at `at` and returns the `transaction.settled` event. `options` replace fields of the event. */
export const make = Effect.fnUntraced(function* (
  scope: MerchantScope,
  at: DateTime.Utc,
  options: Partial<Pick<DomainEvent, "traceparent" | "occurredAt">> = {}
) {
  const { payment } = yield* FreshPayment.unstored({ scope, at })
  const plan = FreshPayment.settlementOf(payment)
  const { event } = yield* FreshPayment.recorded({ ...plan, event: plan.event && { ...plan.event, ...options } })
  return event ?? assert.fail("a settlement has an event")
})

export const claim = Effect.fnUntraced(function* (now: DateTime.Utc, options: Partial<DeliveryClaim> = {}) {
  const queue = yield* DeliveryQueue
  return yield* queue.claim({
    now,
    leasedUntil: Fresh.later(now, minute),
    limit: 100,
    perEndpoint: 100,
    ...options
  })
})

export const claimOne = Effect.fnUntraced(function* (now: DateTime.Utc) {
  const [due, ...more] = yield* claim(now)
  assert.isEmpty(more, "no more than one delivery is due")
  return due ?? assert.fail("one delivery is due")
})

export const attemptOf = ({ delivery }: LeasedDelivery, startedAt: DateTime.Utc): DeliveryAttempt => ({
  deliveryId: delivery.id,
  number: delivery.attempts + 1,
  startedAt,
  durationMillis: 120,
  responseStatus: 200,
  responseBody: "ok"
})
