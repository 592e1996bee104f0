import { Context, type DateTime, type Effect, type Option } from "effect"
import type { EndpointId, EventId } from "../Ids.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Delivery, DeliveryAttempt } from "./Delivery.js"
import type { DomainEvent } from "./DomainEvent.js"

/** A delivery and its attempts, oldest first. */
export interface DeliveryHistory {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** The merchant's view of its events: a polling fallback, and what became of each delivery. */
export class EventLog extends Context.Service<
  EventLog,
  {
    readonly find: (scope: MerchantScope, id: EventId) => Effect.Effect<Option.Option<DomainEvent>, StoreError>

    /** Newest first. */
    readonly list: (scope: MerchantScope, page: PageRequest) => Effect.Effect<Page<DomainEvent>, StoreError>

    readonly deliveries: (
      scope: MerchantScope,
      id: EventId
    ) => Effect.Effect<ReadonlyArray<DeliveryHistory>, StoreError>

    /**
     * Makes the event due again at `now`, as if for the first time, at the endpoint, or at every enabled endpoint of the
     * environment that wants its topic, also one that was registered after the event. Answers how many are due.
     */
    readonly resend: (
      scope: MerchantScope,
      id: EventId,
      endpointId: EndpointId | undefined,
      now: DateTime.Utc
    ) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/event/EventLog") {}
