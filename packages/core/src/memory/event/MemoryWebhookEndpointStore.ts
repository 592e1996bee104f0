import { DateTime, Effect, Layer, Option, Order } from "effect"
import { DeliverySignal } from "../../event/DeliverySignal.js"
import type { WebhookEndpoint } from "../../event/WebhookEndpoint.js"
import { WebhookEndpointStore } from "../../event/WebhookEndpointStore.js"
import type { EndpointId, MerchantId } from "../../Ids.js"
import { requireThat } from "../ConstraintViolated.js"
import { MemoryState } from "../MemoryState.js"
import { append, checkEvent, notifyOf } from "./MemoryOutbox.js"

type State = MemoryState["Service"]

const oldestFirst = Order.mapInput(Order.String, ({ id }: WebhookEndpoint) => id)

const endpointsOf = (state: State, merchantId: MerchantId): ReadonlyArray<WebhookEndpoint> =>
  [...state.endpoints.values()].filter((endpoint) => endpoint.merchantId === merchantId).sort(oldestFirst)

const endpointOf = (state: State, merchantId: MerchantId, id: EndpointId): WebhookEndpoint | undefined => {
  const endpoint = state.endpoints.get(id)
  return endpoint?.merchantId === merchantId ? endpoint : undefined
}

const isRecovered = (before: WebhookEndpoint, after: WebhookEndpoint): boolean =>
  before.failingSince !== undefined && after.failingSince === undefined

const replaced = (stored: WebhookEndpoint, before: WebhookEndpoint, after: WebhookEndpoint): WebhookEndpoint => {
  const { disabledAt: _, disabledReason: __, failingSince, maxPerSecond: ___, missedSince: ____, ...rest } = stored
  return {
    ...rest,
    url: after.url,
    topics: after.topics,
    status: after.status,
    secrets: after.secrets,
    updatedAt: after.updatedAt,
    ...(after.disabledReason === undefined ? {} : { disabledReason: after.disabledReason }),
    ...(after.disabledAt === undefined ? {} : { disabledAt: after.disabledAt }),
    ...(after.maxPerSecond === undefined ? {} : { maxPerSecond: after.maxPerSecond }),
    ...(after.missedSince === undefined ? {} : { missedSince: after.missedSince }),
    ...(failingSince === undefined || isRecovered(before, after) ? {} : { failingSince })
  }
}

export const make = (state: State, signal: DeliverySignal["Service"]): WebhookEndpointStore["Service"] =>
  WebhookEndpointStore.of({
    insert: (endpoint, limit, statuses) =>
      Effect.sync(() => {
        const merchant = state.merchants.get(endpoint.merchantId)
        if (merchant === undefined) return "merchant_missing"
        if (!statuses.includes(merchant.status)) return "status_forbids"
        if (endpointsOf(state, endpoint.merchantId).length >= limit) return "limit_reached"
        requireThat(!state.endpoints.has(endpoint.id), "an endpoint's id is new", endpoint.id)
        state.endpoints.set(endpoint.id, endpoint)
        return "inserted"
      }),

    find: (merchantId, id) => Effect.sync(() => Option.fromUndefinedOr(endpointOf(state, merchantId, id))),

    list: (merchantId) => Effect.sync(() => endpointsOf(state, merchantId)),

    replace: (before, after, event, statuses) =>
      Effect.suspend(() => {
        const stored = endpointOf(state, before.merchantId, before.id)
        if (stored === undefined || !DateTime.Equivalence(stored.updatedAt, before.updatedAt)) {
          return Effect.succeed(false)
        }
        const merchant = state.merchants.get(before.merchantId)
        if (statuses !== undefined && (merchant === undefined || !statuses.includes(merchant.status))) {
          return Effect.succeed(false)
        }
        if (event !== undefined) checkEvent(state, event)
        state.endpoints.set(stored.id, replaced(stored, before, after))
        if (isRecovered(before, after)) state.failingDays.delete(stored.id)
        const deliveries = event === undefined ? 0 : append(state, event, stored.id)
        return Effect.as(notifyOf(signal, deliveries), true)
      }),

    remove: (merchantId, id) =>
      Effect.sync(() => {
        if (endpointOf(state, merchantId, id) === undefined) return false
        state.endpoints.delete(id)
        for (const [key, { delivery }] of state.deliveries) {
          if (delivery.endpointId === id && delivery.status === "PENDING") state.deliveries.delete(key)
        }
        return true
      })
  })

export const layer: Layer.Layer<WebhookEndpointStore, never, MemoryState | DeliverySignal> = Layer.effect(
  WebhookEndpointStore,
  Effect.gen(function* () {
    return make(yield* MemoryState, yield* DeliverySignal)
  })
)
