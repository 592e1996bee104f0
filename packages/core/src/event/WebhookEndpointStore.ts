import { Context, type Effect, type Option } from "effect"
import type { EndpointId, MerchantId } from "../Ids.js"
import type { MerchantStatus } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { DomainEvent } from "./DomainEvent.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/** The result of `insert`. */
export type EndpointInsertion = "inserted" | "merchant_missing" | "status_forbids" | "limit_reached"

export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  {
    /**
     * Stores the endpoint, unless the merchant is unknown, has a status not in `statuses`, or already has `limit`
     * endpoints. The commit checks all three, so they hold under concurrent registrations and status changes.
     */
    readonly insert: (
      endpoint: WebhookEndpoint,
      limit: number,
      statuses: ReadonlyArray<MerchantStatus>
    ) => Effect.Effect<EndpointInsertion, StoreError>

    readonly find: (merchantId: MerchantId, id: EndpointId) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>

    /** Oldest first. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /**
     * Replaces url, topics, status, reason and time of disabling, rate and secrets, and stores the event in the same
     * commit. Returns false if `updatedAt` differs from that of `before`, so that concurrent changes do not overwrite
     * each other. `DeliveryQueue` maintains `failingSince`: this method clears it if `before` has one and `after` has
     * none, and otherwise leaves it unchanged.
     */
    readonly replace: (
      before: WebhookEndpoint,
      after: WebhookEndpoint,
      event?: DomainEvent
    ) => Effect.Effect<boolean, StoreError>

    /** Removes the endpoint and its outstanding deliveries. Returns false if the endpoint does not exist. */
    readonly remove: (merchantId: MerchantId, id: EndpointId) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/event/WebhookEndpointStore") {}
