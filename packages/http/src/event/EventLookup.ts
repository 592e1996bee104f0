import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, EventId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { EndpointNotFound } from "@surety/core/merchant/MerchantError"
import { Data, DateTime, Effect, Option, Schema } from "effect"
import { pathId } from "../field/PathId.js"

const isEventId = Schema.is(EventId)
const endpointIn = pathId(EndpointId, "endpoint_not_found")

/** The event does not exist in the scope, or its id is malformed. */
export class EventNotFound extends Data.TaggedError("EventNotFound") {}

/**
 * Builds functions that find an event by the id in a path, list its deliveries or resend it. They do not check whether
 * the caller may access the merchant scope.
 */
export const makeEventLookup = Effect.gen(function* () {
  const log = yield* EventLog
  const endpoints = yield* WebhookEndpoints

  const eventOf = Effect.fnUntraced(function* (scope: MerchantScope, sent: string) {
    const event = isEventId(sent) ? yield* log.find(scope, sent) : Option.none()
    if (Option.isNone(event)) return yield* new EventNotFound()
    return event.value
  })

  /**
   * Returns the endpoint's id, or undefined if none was sent. Fails with `EndpointNotFound` if the scope has no such
   * endpoint. A malformed id fails with the problem `endpoint_not_found`.
   */
  const endpointOf = Effect.fnUntraced(function* (scope: MerchantScope, sent: string | undefined) {
    if (sent === undefined) return undefined
    const { environment, id } = yield* endpoints.get(scope.merchantId, yield* endpointIn(sent))
    if (environment !== scope.environment) return yield* new EndpointNotFound({ endpointId: id })
    return id
  })

  const deliveriesOf = Effect.fnUntraced(function* (scope: MerchantScope, sent: string) {
    const { id } = yield* eventOf(scope, sent)
    return yield* log.deliveries(scope, id)
  })

  const resend = Effect.fnUntraced(function* (scope: MerchantScope, sent: string, endpoint: string | undefined) {
    const { id } = yield* eventOf(scope, sent)
    const endpointId = yield* endpointOf(scope, endpoint)
    return { eventId: id, scheduled: yield* log.resend(scope, id, endpointId, yield* DateTime.now) }
  })

  return { eventOf, deliveriesOf, resend }
})
