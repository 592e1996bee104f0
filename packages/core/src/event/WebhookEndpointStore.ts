import { Context, type Effect, type Option } from "effect"
import type { EndpointId, MerchantId } from "../Ids.js"
import type { MerchantStatus } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"
import type { DomainEvent } from "./DomainEvent.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/** Only `inserted` means that the endpoint was stored. */
export type EndpointInsertion = "inserted" | "merchant_missing" | "status_forbids" | "limit_reached"

export class WebhookEndpointStore extends Context.Service<
  WebhookEndpointStore,
  {
    /**
     * Stores the endpoint, unless the merchant is unknown, has a status not in `statuses`, or already has `limit`
     * endpoints. The commit itself checks this, so concurrent registrations and status changes cannot bypass it.
     */
    readonly insert: (
      endpoint: WebhookEndpoint,
      limit: number,
      statuses: ReadonlyArray<MerchantStatus>
    ) => Effect.Effect<EndpointInsertion, StoreError>

    readonly find: (merchantId: MerchantId, id: EndpointId) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreError>

    /** Lists the merchant's endpoints, oldest first. */
    readonly list: (merchantId: MerchantId) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreError>

    /**
     * Replaces url, topics, status, rate, secrets, `missedSince`, and the reason and time of disabling. Stores `event`
     * in the same commit. Waits for commits in progress that treat the endpoint as disabled, so a later
     * `EventLog.recover` finds their events. Returns false and stores nothing if the endpoint does not exist or has
     * been changed since `before`. A change to `failingSince`, which `DeliveryQueue` maintains, does not count. This
     * method can only clear `failingSince`, and does so if `before` has it and `after` does not. With `statuses`, also
     * returns false and stores nothing if the merchant has another status by then, checked by the commit itself.
     */
    readonly replace: (
      before: WebhookEndpoint,
      after: WebhookEndpoint,
      event?: DomainEvent,
      statuses?: ReadonlyArray<MerchantStatus>
    ) => Effect.Effect<boolean, StoreError>

    /** Removes the endpoint and its `PENDING` deliveries. Returns false if the endpoint does not exist. */
    readonly remove: (merchantId: MerchantId, id: EndpointId) => Effect.Effect<boolean, StoreError>
  }
>()("@surety/core/event/WebhookEndpointStore") {}
