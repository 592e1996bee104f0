import { Context, type Effect, type Option } from "effect"
import type { EndpointId, MerchantId } from "../Ids.js"
import type { MerchantStatus } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/** The outcome of storing an endpoint. */
export type EndpointInsertion = "inserted" | "merchant_missing" | "status_forbids" | "limit_reached"

export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  {
    /**
     * Stores the endpoint unless the merchant is unknown, has none of `statuses`, or already has `limit` endpoints. All
     * is checked in the commit that stores it, so it holds under concurrent registrations and changes of status.
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
     * Replaces url, topics, status, reason and time of disabling, rate and secrets, if `updatedAt` still is `before`'s; false otherwise, so that two
     * changes at once do not overwrite each other. `failingSince` is the queue's to keep: it is forgotten where `before`
     * has one and `after` has none, and left as it is otherwise.
     */
    readonly replace: (before: WebhookEndpoint, after: WebhookEndpoint) => Effect.Effect<boolean, StoreError>

    /** Removes the endpoint and its outstanding deliveries. False if the endpoint is missing. */
    readonly remove: (merchantId: MerchantId, id: EndpointId) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/event/WebhookEndpointStore") {}
