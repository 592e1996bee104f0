import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { EventLog } from "@surety/core/event/EventLog"
import type { EndpointId, EventId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import { DateTime, Effect } from "effect"

/** Settles the due deliveries: gives up the first `refusedFirst`, and records the others as delivered. */
export const receive = Effect.fnUntraced(function* (refusedFirst: number) {
  const now = yield* DateTime.now
  const queue = yield* DeliveryQueue
  for (const [index, due] of (yield* FreshEvent.claim(now)).entries()) {
    const attempt = FreshEvent.attemptOf(due, now)
    if (index < refusedFirst) {
      yield* queue.settle(due, { ...attempt, responseStatus: 503, responseBody: "busy" }, { _tag: "GiveUp" })
    } else {
      yield* queue.settle(due, attempt, { _tag: "Delivered" })
    }
  }
})

export const giveUp = Effect.fnUntraced(function* (scope: MerchantScope, id: EventId, endpointId: EndpointId) {
  yield* (yield* EventLog).resend(scope, id, endpointId, yield* DateTime.now)
  yield* receive(Number.POSITIVE_INFINITY)
})
