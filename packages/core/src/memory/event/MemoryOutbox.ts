import { DateTime, Effect } from "effect"
import type { Delivery } from "../../event/Delivery.js"
import type { DeliverySignal } from "../../event/DeliverySignal.js"
import type { DomainEvent } from "../../event/DomainEvent.js"
import type { OutboxEvent } from "../../event/PlatformEvent.js"
import type { WebhookEndpoint } from "../../event/WebhookEndpoint.js"
import { DeliveryId, toUuid } from "../../Ids.js"
import { requireThat } from "../ConstraintViolated.js"
import { deliveryKey, isOf, type MemoryState } from "../MemoryState.js"

type State = MemoryState["Service"]

/** Throws if a merchant's event with this id is stored. Events for the platform alone are not searched. */
export const checkEvent = (state: State, event: OutboxEvent): void =>
  requireThat(!state.events.has(event.id), "an event's id is new", event.id)

/**
 * Returns true if the endpoint is enabled, belongs to the event's merchant and environment, and subscribes to its
 * topic. A test event is wanted only by the endpoint under test, which need not subscribe to the topic.
 */
export const wants = (endpoint: WebhookEndpoint, event: DomainEvent): boolean =>
  endpoint.status === "ENABLED" &&
  isOf(event, endpoint) &&
  (event.testFor === undefined ? endpoint.topics.includes(event.topic) : event.testFor === endpoint.id)

export const endpointsFor = (state: State, event: DomainEvent): ReadonlyArray<WebhookEndpoint> =>
  [...state.endpoints.values()].filter((endpoint) => wants(endpoint, event))

/**
 * Derives a delivery's id: a UUIDv7 with the time `at`. Its last 62 bits are computed from the event's and the
 * endpoint's ids. The same ids and time always give the same delivery id.
 */
const deliveryIdAt = (event: DomainEvent, endpoint: WebhookEndpoint, at: DateTime.Utc): DeliveryId => {
  const number = (id: string): bigint => BigInt(`0x${toUuid(id).replaceAll("-", "")}`)
  const random = (number(event.id) * 31n + number(endpoint.id)) & ((1n << 62n) - 1n)
  const bits = (BigInt(DateTime.toEpochMillis(at)) << 80n) | (7n << 76n) | (2n << 62n) | random
  return DeliveryId.fromUuid(bits.toString(16).padStart(32, "0"))
}

/**
 * Creates the event's delivery to the endpoint, pending and due at `at`. Resets an existing one: ends any lease and
 * counts attempts from 0, but keeps the recorded attempts.
 */
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
    fence: stored === undefined ? 0 : stored.fence + 1,
    leasedUntil: undefined
  })
}

const keepForPlatform = ({ platformFeed: { fence, streams } }: State, event: OutboxEvent, sequence: string): void => {
  if (streams === undefined) return
  const { body, environment, id, merchantId, occurredAt, topic } = event
  const key = merchantId ?? ""
  const stored = streams.get(key) ?? {
    unsent: [],
    failures: 0,
    retryAt: undefined,
    fence,
    leasedUntil: undefined
  }
  const kept = { id, merchantId, environment, topic, body, occurredAt, sequence }
  streams.set(key, { ...stored, unsent: [...stored.unsent, kept] })
}

/** Sequences sort as strings in the order of storage. */
const nextSequence = ({ eventOrder }: State): string => {
  eventOrder.count += 1
  return String(eventOrder.count).padStart(16, "0")
}

/**
 * Stores the event with a delivery for each endpoint that wants it. Unless the event is a test, also adds it to the
 * platform's feed if the feed is on. A platform event goes only to the feed. Returns the number of deliveries.
 */
export const append = (state: State, event: OutboxEvent, cause: string): number => {
  const sequence = nextSequence(state)
  const isPlatforms = "isForPlatform" in event
  if (isPlatforms || event.testFor === undefined) keepForPlatform(state, event, sequence)
  if (isPlatforms) return 0
  state.events.set(event.id, { event: { ...event, sequence }, cause })
  const endpoints = endpointsFor(state, event)
  for (const endpoint of endpoints) makeDue(state, event, endpoint, event.occurredAt)
  return endpoints.length
}

/** Wakes the dispatcher if a commit created deliveries or made them due again. */
export const notifyOf = (signal: DeliverySignal["Service"], deliveries: number): Effect.Effect<void> =>
  deliveries > 0 ? signal.notify : Effect.void
