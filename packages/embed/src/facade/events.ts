import { DeliveryStatus } from "@surety/core/event/Delivery"
import { Topic, topics } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, EventId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { EndpointNotFound } from "@surety/core/merchant/MerchantError"
import { toPage } from "@surety/core/Page"
import { DateTime, Effect, Option, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { EventNotFound } from "../NotFound.js"
import { InvalidInput } from "../Outcome.js"
import { plainDelivery, plainEvent, plainEventType, plainListedDelivery } from "../record/Events.js"
import { pagingFields, readHostPage, whole } from "./input/paging.js"
import { listingFields, scopeFields } from "./input/scopeAndPerson.js"

const defaultLimit = 20

const afterUnknown = new InvalidInput({
  faults: [{ path: ["after"], code: "wrong_format", detail: "Expected the id of an event from this list." }]
})

const eventOf = Effect.fnUntraced(function* (scope: MerchantScope, eventId: EventId) {
  const found = yield* (yield* EventLog).find(scope, eventId)
  return Option.isSome(found) ? found.value : yield* new EventNotFound({ eventId })
})

const endpointOf = Effect.fnUntraced(function* ({ environment, merchantId }: MerchantScope, endpointId: EndpointId) {
  const endpoint = yield* (yield* WebhookEndpoints).get(merchantId, endpointId)
  if (endpoint.environment !== environment) return yield* new EndpointNotFound({ endpointId })
})

/**
 * Events and their deliveries. Payloads are as merchants receive them, with `amountMinor` added next to each `amount`.
 */
export const events = (run: Run) => ({
  /** Returns an event of the merchant by its id, even if it is a test event. */
  get: call(run, Schema.Struct({ ...scopeFields, eventId: EventId }), ({ eventId, ...scope }) =>
    Effect.map(eventOf(scope, eventId), plainEvent)
  ),

  /** Newest first, without test events. Optionally filtered by `topic`. */
  list: call(
    run,
    Schema.Struct({ ...scopeFields, topic: Schema.optionalKey(Topic), ...pagingFields }),
    ({ environment, merchantId, topic, ...page }) =>
      Effect.flatMap(EventLog, (log) =>
        Effect.map(
          readHostPage(["events.list", merchantId, environment], page, (request) =>
            log.list({ merchantId, environment }, request, topic)
          ),
          (found) => toPage(found, plainEvent)
        )
      )
  ),

  /**
   * Returns events in a fixed order, without test events, after `after` or from the first. An event is withheld while
   * an unfinished transaction may still add an earlier one. Unlike with `list`, polling from the last returned event
   * therefore misses nothing. Fails with `InvalidInput` if `after` is not an event that `follow` returns, for example
   * one lost by restoring a backup. If the month of `after` is archived, fails with `EventArchived` instead.
   */
  follow: call(
    run,
    Schema.Struct({ ...scopeFields, after: Schema.optionalKey(EventId), limit: pagingFields.limit }),
    ({ after, limit, ...scope }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const found = yield* log.follow(scope, { after, limit: limit ?? defaultLimit })
        if (found.length === 0 && after !== undefined) {
          const shown = yield* log.find(scope, after)
          if (!Option.exists(shown, ({ testFor }) => testFor === undefined)) return yield* afterUnknown
        }
        return whole(found.map(plainEvent))
      })
  ),

  /** The deliveries of an event, one per receiving endpoint. */
  deliveries: call(run, Schema.Struct({ ...scopeFields, eventId: EventId }), ({ eventId, ...scope }) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* eventOf(scope, eventId)
      return whole((yield* log.deliveries(scope, eventId)).map(plainDelivery))
    })
  ),

  /** Deliveries for one merchant or all, newest event first. Filters are combined with AND. */
  allDeliveries: call(
    run,
    Schema.Struct({
      ...listingFields,
      endpointId: Schema.optionalKey(EndpointId),
      status: Schema.optionalKey(DeliveryStatus),
      ...pagingFields
    }),
    ({ endpointId, environment, merchantId, status, ...page }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const filter = { environment, merchantId, endpointId, status }
        const key = ["operatorEvents.listAllDeliveries", environment] as const
        const found = yield* readHostPage(key, page, (request) => log.listDeliveries(filter, request))
        return toPage(found, plainListedDelivery)
      })
  ),

  /** Every topic of merchants' events with its meaning, the JSON Schema of its payload and an example. */
  types: () => run(Effect.sync(() => whole(topics.map(plainEventType)))),

  /**
   * Sends an event again, to `endpointId` or to every endpoint that subscribes to its topic. A disabled endpoint gets
   * nothing. A test event goes only to its own endpoint. Returns, as `scheduled`, the number of deliveries now due.
   */
  resend: call(
    run,
    Schema.Struct({ ...scopeFields, eventId: EventId, endpointId: Schema.optionalKey(EndpointId) }),
    ({ endpointId, eventId, ...scope }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        yield* eventOf(scope, eventId)
        if (endpointId !== undefined) yield* endpointOf(scope, endpointId)
        return { scheduled: yield* log.resend(scope, eventId, endpointId, yield* DateTime.now) }
      })
  )
})
