import { assert } from "@effect/vitest"
import { topics as allTopics, type Topic } from "@surety/core/event/DomainEvent"
import { type EndpointStatus, maxEndpoints, type WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpointStore } from "@surety/core/event/WebhookEndpointStore"
import { type MerchantScope, openStatuses } from "@surety/core/merchant/Merchant"
import type { StoreError } from "@surety/core/StoreError"
import type { DateTime, Scope } from "effect"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Fresh from "../FreshIds.js"

export interface FreshEndpointOptions {
  /** Default: all topics. */
  readonly topics?: ReadonlyArray<Topic>
  readonly status?: EndpointStatus
  readonly failingSince?: DateTime.Utc
  readonly at?: DateTime.Utc
  readonly maxPerSecond?: number
  /** Key id in the endpoint's sealed secret. Default: `k1`. */
  readonly keyId?: string
}

export const unstored = Effect.fnUntraced(function* (scope: MerchantScope, options: FreshEndpointOptions = {}) {
  const createdAt = options.at ?? (yield* Fresh.now)
  const endpoint: WebhookEndpoint = {
    id: Fresh.endpointId(createdAt),
    ...scope,
    url: `https://${Fresh.randomText("receiver")}.example/hooks`,
    topics: options.topics ?? allTopics,
    status: options.status ?? "ENABLED",
    ...(options.status === "DISABLED" ? { disabledReason: "switched off", disabledAt: createdAt } : {}),
    ...(options.failingSince === undefined ? {} : { failingSince: options.failingSince }),
    ...(options.maxPerSecond === undefined ? {} : { maxPerSecond: options.maxPerSecond }),
    secrets: [{ sealed: { keyId: options.keyId ?? "k1", bytes: SecureRandom.randomBytesUnsafe(60) }, createdAt }],
    createdAt,
    updatedAt: createdAt
  }
  return endpoint
})

/** Stores an endpoint. A finalizer removes it, so that its deliveries leave the queue. */
export const make: (
  scope: MerchantScope,
  options?: FreshEndpointOptions
) => Effect.Effect<WebhookEndpoint, StoreError, WebhookEndpointStore | Scope.Scope> = Effect.fnUntraced(function* (
  scope,
  options = {}
) {
  const endpoint = yield* unstored(scope, options)
  const store = yield* WebhookEndpointStore
  assert.strictEqual(yield* store.insert(endpoint, maxEndpoints, openStatuses), "inserted")
  yield* Effect.addFinalizer(() => Effect.ignore(store.remove(endpoint.merchantId, endpoint.id)))
  return endpoint
})
