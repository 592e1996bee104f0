import { NodeCrypto } from "@effect/platform-node"
import type { Environment } from "@surety/core/Environment"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { DomainEvent } from "@surety/core/event/DomainEvent"
import * as TargetPolicy from "@surety/core/event/TargetPolicy"
import type { EndpointSecret, WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import * as WebhookSecret from "@surety/core/event/WebhookSecret"
import { EndpointId, EventId, MerchantId } from "@surety/core/Ids"
import { append } from "@surety/core/memory/event/MemoryOutbox"
import * as MemoryState from "@surety/core/memory/MemoryState"
import * as MemoryStores from "@surety/core/memory/MemoryStores"
import * as Keyring from "@surety/core/secret/Keyring"
import { DateTime, Effect, Layer, Redacted } from "effect"

export interface Endpoint {
  readonly id: EndpointId
  readonly environment: Environment
  readonly merchantId: WebhookEndpoint["merchantId"]
  /** Oldest first. */
  readonly secrets: ReadonlyArray<string>
}

const seal = Effect.fnUntraced(function* (id: EndpointId) {
  const secret = yield* WebhookSecret.next
  const stored: EndpointSecret = {
    sealed: yield* (yield* Keyring.Keyring).seal(id, secret),
    createdAt: yield* DateTime.now
  }
  return { secret: Redacted.value(secret), stored }
})

/** Registers an endpoint for `refund.completed`, the topic of every event that `emit` commits. */
export const register = Effect.fnUntraced(function* (
  url: string,
  change: Partial<Pick<WebhookEndpoint, "environment" | "failingSince" | "status">> = {}
) {
  const state = yield* MemoryState.MemoryState
  const id = yield* EndpointId.next
  const { secret, stored } = yield* seal(id)
  const now = yield* DateTime.now
  const endpoint: WebhookEndpoint = {
    id,
    merchantId: yield* MerchantId.next,
    environment: "LIVE",
    url,
    topics: ["refund.completed"],
    status: "ENABLED",
    secrets: [stored],
    createdAt: now,
    updatedAt: now,
    ...change
  }
  state.endpoints.set(id, endpoint)
  const made: Endpoint = { id, environment: endpoint.environment, merchantId: endpoint.merchantId, secrets: [secret] }
  return made
})

export const rotate = Effect.fnUntraced(function* (endpoint: Endpoint, overlapEndsAt: DateTime.Utc) {
  const state = yield* MemoryState.MemoryState
  const { secret, stored } = yield* seal(endpoint.id)
  const before = yield* endpointOf(endpoint)
  const older = before.secrets.map((one) => ({ ...one, expiresAt: overlapEndsAt }))
  state.endpoints.set(endpoint.id, { ...before, secrets: [...older, stored] })
  return { ...endpoint, secrets: [...endpoint.secrets, secret] }
})

export const endOverlap = Effect.fnUntraced(function* (endpoint: Endpoint) {
  const state = yield* MemoryState.MemoryState
  const before = yield* endpointOf(endpoint)
  const expiresAt = DateTime.subtract(yield* DateTime.now, { milliseconds: 1 })
  const secrets = before.secrets.map((one) => (one.expiresAt === undefined ? one : { ...one, expiresAt }))
  state.endpoints.set(endpoint.id, { ...before, secrets })
})

interface Emission {
  readonly body?: string
  readonly signalled?: boolean
  readonly traceparent?: string
}

/**
 * Commits an event for the endpoint's merchant. If `signalled` is false, sends no signal, as if another process had
 * committed the event.
 */
export const emit = Effect.fnUntraced(function* (
  endpoint: Endpoint,
  { body = '{"status":"COMPLETED"}', signalled = true, traceparent }: Emission = {}
) {
  const state = yield* MemoryState.MemoryState
  const { environment, merchantId } = endpoint
  const id = yield* EventId.next
  const occurredAt = yield* DateTime.now
  const trace = traceparent === undefined ? {} : { traceparent }
  const event: DomainEvent = { id, merchantId, environment, topic: "refund.completed", body, occurredAt, ...trace }
  append(state, event, "a refund")
  if (signalled) yield* (yield* DeliverySignal.DeliverySignal).notify
  return id
})

export const endpointOf = ({ id }: Endpoint) =>
  Effect.flatMap(MemoryState.MemoryState, ({ endpoints }) => {
    const endpoint = endpoints.get(id)
    return endpoint === undefined ? Effect.die(new Error(`There is no endpoint ${id}.`)) : Effect.succeed(endpoint)
  })

export const deliveryOf = (eventId: EventId, endpoint: Endpoint) =>
  Effect.flatMap(MemoryState.MemoryState, ({ deliveries }) => {
    const stored = deliveries.get(MemoryState.deliveryKey(eventId, endpoint.id))
    return stored === undefined ? Effect.die(new Error(`There is no delivery of ${eventId}.`)) : Effect.succeed(stored)
  })

export const allAre = (state: MemoryState.MemoryState["Service"], status: "DELIVERED" | "FAILED"): boolean =>
  [...state.deliveries.values()].every(({ delivery }) => delivery.status === status)

/**
 * A keyring that stores secrets in plain text. Real encryption runs in real time, and advancing a test's clock does not
 * wait for it.
 */
export const layerOpenKeyring: Layer.Layer<Keyring.Keyring> = Layer.succeed(Keyring.Keyring, {
  keyIds: ["open"],
  seal: (_owner, secret) => Effect.succeed({ keyId: "open", bytes: new TextEncoder().encode(Redacted.value(secret)) }),
  open: (_owner, { bytes }) => Effect.succeed(Redacted.make(new TextDecoder().decode(bytes))),
  fingerprints: () => Effect.die(new Error("No test asks for fingerprints.")),
  identityHash: () => Effect.die(new Error("No test asks for an identity's hash.")),
  seeds: () => Effect.die(new Error("No test asks for seeds."))
})

export const layerKeyring: Layer.Layer<Keyring.Keyring> = Keyring.layer([
  Redacted.make(new Uint8Array(32).fill(7))
]).pipe(Layer.provide(NodeCrypto.layer), Layer.orDie)

/**
 * Provides the in-memory stores with their state, and everything else that the dispatcher needs except an HTTP client.
 */
export const layerWith = (keyring: Layer.Layer<Keyring.Keyring>) =>
  Layer.mergeAll(MemoryStores.layerOver, keyring, TargetPolicy.layerDevelopment, NodeCrypto.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(MemoryState.layer, DeliverySignal.layer))
  )
