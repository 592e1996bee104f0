import { DateTime, Effect, Layer, Option } from "effect"
import type { Delivery, DeliveryStatus } from "../../event/Delivery.js"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { DomainEvent, SequencedEvent } from "../../event/DomainEvent.js"
import { type EndpointHealth, EventLog, type EventRange } from "../../event/EventLog.js"
import type { WebhookEndpoint } from "../../event/WebhookEndpoint.js"
import { type EndpointId, type EventId, madeAtMillis } from "../../Ids.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import { listRecords, matches } from "../MemoryList.js"
import { deliveryKey, isOf, MemoryState } from "../MemoryState.js"
import { append, checkEvent, endpointsFor, makeDue, notifyOf, wants } from "./MemoryOutbox.js"

type State = MemoryState["Service"]

const eventOf = (state: State, scope: MerchantScope, id: EventId): SequencedEvent | undefined => {
  const event = state.events.get(id)?.event
  return event !== undefined && isOf(scope, event) ? event : undefined
}

/**
 * Returns the endpoints to which to resend an event. Without `endpointId`, returns all endpoints that want the event
 * (`wants`). With `endpointId`, returns that endpoint if it is enabled and belongs to the event's merchant and
 * environment. Its topics are ignored, but another endpoint's test event is never resent to it.
 */
const targetsOf = (
  state: State,
  event: DomainEvent,
  endpointId: EndpointId | undefined
): ReadonlyArray<WebhookEndpoint> => {
  if (endpointId === undefined) return endpointsFor(state, event)
  const endpoint = state.endpoints.get(endpointId)
  const isTestForOther = event.testFor !== undefined && event.testFor !== endpointId
  return endpoint !== undefined && isOf(event, endpoint) && endpoint.status === "ENABLED" && !isTestForOther
    ? [endpoint]
    : []
}

/** Returns true if the event was created in the range, judged by its id, which starts with the creation time. */
const isMadeWithin = (id: EventId, since: DateTime.Utc | undefined, until: DateTime.Utc | undefined): boolean => {
  const at = madeAtMillis(id)
  return (
    (since === undefined || at >= DateTime.toEpochMillis(since)) &&
    (until === undefined || at < DateTime.toEpochMillis(until))
  )
}

/**
 * Returns the events in the range that the endpoint wants (`wants`), and whose delivery to it failed or is missing.
 * Excludes test events.
 */
const undelivered = (state: State, endpoint: WebhookEndpoint, { since, until }: EventRange) =>
  [...state.events.values()]
    .map(({ event }) => event)
    .filter(({ testFor }) => testFor === undefined)
    .filter(({ id }) => isMadeWithin(id, since, until))
    .filter((event) => wants(endpoint, event))
    .filter(({ id }) => {
      const stored = state.deliveries.get(deliveryKey(id, endpoint.id))
      return stored === undefined || stored.delivery.status === "FAILED"
    })

/** Maximum number of attempts in an endpoint's health, and of newest deliveries searched for them. */
const shownAttempts = 20

const healthOf = (
  state: State,
  scope: MerchantScope,
  endpointId: EndpointId,
  now: DateTime.Utc,
  countTo: number
): EndpointHealth => {
  const ours = [...state.deliveries.values()].filter(
    ({ delivery }) => delivery.endpointId === endpointId && isOf(scope, delivery)
  )
  const countOf = (status: DeliveryStatus) =>
    Math.min(countTo, ours.filter(({ delivery }) => delivery.status === status).length)
  const due = ours.flatMap(({ delivery: { nextAttemptAt: at } }) =>
    at !== undefined && DateTime.isLessThanOrEqualTo(at, now) ? [at] : []
  )
  const newest = [...ours].sort((a, b) => (a.delivery.eventId < b.delivery.eventId ? 1 : -1)).slice(0, shownAttempts)
  return {
    pending: countOf("PENDING"),
    failed: countOf("FAILED"),
    dueSince: due.sort(DateTime.Order)[0],
    attempts: newest
      .flatMap(({ attempts }) => attempts)
      .sort((a, b) => DateTime.Order(b.startedAt, a.startedAt))
      .slice(0, shownAttempts)
  }
}

export const make = (state: State, signal: DeliverySignal["Service"]): EventLog["Service"] =>
  EventLog.of({
    find: (scope, id) => Effect.sync(() => Option.fromUndefinedOr(eventOf(state, scope, id))),

    list: (scope, page, topic) =>
      listRecords(
        () => [...state.events.values()].map(({ event }) => event),
        {
          where: (event) => isOf(scope, event) && event.testFor === undefined && matches<DomainEvent>({ topic })(event),
          // An event's id starts with the time at which it was recorded.
          position: ({ id }) => ({ at: 0, id })
        },
        page
      ),

    // The map preserves insertion order, which is commit order.
    follow: (scope, { after, limit }) =>
      Effect.sync(() => {
        const events = [...state.events.values()]
          .map(({ event }) => event)
          .filter((event) => isOf(scope, event) && event.testFor === undefined)
        if (after === undefined) return events.slice(0, limit)
        const index = events.findIndex(({ id }) => id === after)
        return index < 0 ? [] : events.slice(index + 1, index + 1 + limit)
      }),

    sendTest: (event) =>
      Effect.suspend(() => {
        checkEvent(state, event)
        if (endpointsFor(state, event).length === 0) return Effect.succeedNone
        const deliveries = append(state, event, event.id)
        const stored = state.deliveries.get(deliveryKey(event.id, event.testFor))
        return Effect.as(notifyOf(signal, deliveries), Option.fromUndefinedOr(stored?.delivery))
      }),

    deliveries: (scope, id) =>
      Effect.sync(() =>
        [...state.deliveries.values()]
          .filter(({ delivery }) => delivery.eventId === id && isOf(scope, delivery))
          .map(({ attempts, delivery }) => ({ delivery, attempts }))
      ),

    listDeliveries: ({ endpointId, environment, merchantId, since, status, topic, until }, page) =>
      listRecords(
        () => [...state.deliveries.values()].map(({ delivery }) => delivery),
        {
          where: (delivery) =>
            matches<Delivery>({ endpointId, environment, merchantId, status })(delivery) &&
            (topic === undefined || state.events.get(delivery.eventId)?.event.topic === topic) &&
            isMadeWithin(delivery.eventId, since, until),
          // The keys start with the events' ids.
          position: (delivery) => ({ at: 0, id: deliveryKey(delivery.eventId, delivery.endpointId) })
        },
        page
      ),

    endpointHealth: (scope, endpointId, now, countTo) =>
      Effect.sync(() => healthOf(state, scope, endpointId, now, countTo)),

    resend: (scope, id, endpointId, now) =>
      Effect.suspend(() => {
        const event = eventOf(state, scope, id)
        const targets = event === undefined ? [] : targetsOf(state, event, endpointId)
        if (event !== undefined) for (const endpoint of targets) makeDue(state, event, endpoint, now)
        return Effect.as(notifyOf(signal, targets.length), targets.length)
      }),

    checkRange: () => Effect.void,

    recover: (scope, endpointId, range, now) =>
      Effect.suspend(() => {
        const endpoint = state.endpoints.get(endpointId)
        if (endpoint === undefined || !isOf(scope, endpoint)) return Effect.succeed(0)
        const missed = undelivered(state, endpoint, range)
        for (const event of missed) makeDue(state, event, endpoint, now)
        return Effect.as(notifyOf(signal, missed.length), missed.length)
      })
  })

export const layer: Layer.Layer<EventLog, never, MemoryState | DeliverySignal> = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* DeliverySignal)
  })
)
