import { DateTime, Effect } from "effect"
import type { Delivery } from "../../event/Delivery.js"
import type { DeliverySignal } from "../../event/DeliverySignal.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { WebhookEndpoint } from "../../event/WebhookEndpoint.js"
import { DeliveryId, fromUuid, toUuid } from "../../Ids.js"
import { requireThat } from "../ConstraintViolated.js"
import { deliveryKey, isOf, type MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

/** Throws unless `append` may follow. */
export const checkEvent = (state: State, event: DomainEvent): void =>
  requireThat(!state.events.has(event.id), "an event's id is new", event.id)

/** Whether the endpoint is to be told of the event: of its topic, or of a test that is for it. */
export const wants = (endpoint: WebhookEndpoint, event: DomainEvent): boolean =>
  endpoint.status === "ENABLED" &&
  isOf(event, endpoint) &&
  (event.testFor === undefined ? endpoint.topics.includes(event.topic) : event.testFor === endpoint.id)

/** The endpoints that are to be told of the event. */
export const endpointsFor = (state: State, event: DomainEvent): ReadonlyArray<WebhookEndpoint> =>
  [...state.endpoints.values()].filter((endpoint) => wants(endpoint, event))

/**
 * A delivery's id: a UUIDv7 of the moment, whose other bits are those of the event's and the endpoint's ids. They are
 * random already, so a run with fixed ids has fixed delivery ids too.
 */
const deliveryIdAt = (event: DomainEvent, endpoint: WebhookEndpoint, at: DateTime.Utc): DeliveryId => {
  const number = (id: string): bigint => BigInt(`0x${toUuid(id).replaceAll("-", "")}`)
  const random = (number(event.id) * 31n + number(endpoint.id)) & ((1n << 62n) - 1n)
  const bits = (BigInt(DateTime.toEpochMillis(at)) << 80n) | (7n << 76n) | (2n << 62n) | random
  return DeliveryId.make(fromUuid("delivery", bits.toString(16).padStart(32, "0")))
}

/** Makes the event due at the endpoint at `at`, as if for the first time. Who had it with them loses it. */
export const makeDue = (state: State, event: DomainEvent, endpoint: WebhookEndpoint, at: DateTime.Utc): void => {
  const key = deliveryKey(event.id, endpoint.id)
  const stored = state.deliveries.get(key)
  const delivery: Delivery = {
    id: stored?.delivery.id ?? deliveryIdAt(event, endpoint, event.occurredAt),
    eventId: event.id,
    endpointId: endpoint.id,
    merchantId: event.merchantId,
    environment: event.environment,
    status: "PENDING",
    attempts: 0,
    nextAttemptAt: at,
    createdAt: stored?.delivery.createdAt ?? at
  }
  state.deliveries.set(key, {
    delivery,
    attempts: stored?.attempts ?? [],
    fence: (stored?.fence ?? 0) + 1,
    leasedUntil: undefined
  })
}

/** Keeps the event, with a delivery for each endpoint that wants it. Answers how many those are. */
export const append = (state: State, event: DomainEvent, cause: string): number => {
  state.events.set(event.id, { event, cause })
  const endpoints = endpointsFor(state, event)
  for (const endpoint of endpoints) makeDue(state, event, endpoint, event.occurredAt)
  return endpoints.length
}

/** Wakes the dispatcher when a commit has made deliveries. */
export const notifyOf = (signal: DeliverySignal["Service"], deliveries: number): Effect.Effect<void> =>
  deliveries > 0 ? signal.notify : Effect.void
