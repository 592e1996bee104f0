import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { EndpointId, EventId, MerchantId } from "../Ids.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Delivery, DeliveryAttempt, DeliveryStatus } from "./Delivery.js"
import type { DomainEvent, TestEvent, Topic } from "./DomainEvent.js"

/** A delivery and its attempts, oldest first. */
export interface DeliveryHistory {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** Which deliveries of an environment are meant. Undefined fields do not filter. */
export interface DeliveryFilter {
  readonly environment: Environment
  readonly status: DeliveryStatus | undefined
  readonly merchantId: MerchantId | undefined
  readonly endpointId: EndpointId | undefined
}

/** From `since` up to, but without, `until`. */
export interface EventRange {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** Where to go on with events in the order of their commits: behind an event that was shown in it, or from the first. */
export interface Following {
  readonly after: EventId | undefined
  readonly limit: number
}

/** The merchant's view of its events: a polling fallback, and the outcome of each delivery. */
export class EventLog extends Context.Service<
  EventLog,
  {
    readonly find: (scope: MerchantScope, id: EventId) => Effect.Effect<Option.Option<DomainEvent>, StoreError>

    /** Newest first, without test events; those of one topic alone where it is given. */
    readonly list: (
      scope: MerchantScope,
      page: PageRequest,
      topic?: Topic
    ) => Effect.Effect<Page<DomainEvent>, StoreError>

    /**
     * The events in an order in which none ever comes to stand before one that was shown: that of their commits, not of
     * their times. So who asks again and again behind the last one that was shown misses none, however late some are
     * committed. One whose commit may still be overtaken by an earlier one is not shown yet. Without test events. None
     * behind an event that is not of the scope.
     */
    readonly follow: (
      scope: MerchantScope,
      following: Following
    ) => Effect.Effect<ReadonlyArray<DomainEvent>, StoreError>

    /**
     * Keeps a test event and makes it due at its endpoint, if that is one of the event's scope and enabled. Answers the
     * delivery; none, and nothing is kept, otherwise.
     */
    readonly sendTest: (event: TestEvent) => Effect.Effect<Option.Option<Delivery>, StoreError>

    readonly deliveries: (
      scope: MerchantScope,
      id: EventId
    ) => Effect.Effect<ReadonlyArray<DeliveryHistory>, StoreError>

    /** Operator's list, of all merchants: the deliveries of the newest event first. */
    readonly listDeliveries: (filter: DeliveryFilter, page: PageRequest) => Effect.Effect<Page<Delivery>, StoreError>

    /**
     * Makes the event due again at `now`, as if for the first time, at the endpoint, or at every enabled endpoint of the
     * environment that wants its topic, also one that was registered after the event. A test event goes to the endpoint
     * that it is for and to no other. Returns the number of due deliveries.
     */
    readonly resend: (
      scope: MerchantScope,
      id: EventId,
      endpointId: EndpointId | undefined,
      now: DateTime.Utc
    ) => Effect.Effect<number, StoreError>

    /**
     * Makes due again at `now`, as if for the first time, what an enabled endpoint of the scope should have got and did
     * not: each event that happened in the range and has a topic that the endpoint wants, if its delivery has failed or
     * is missing because the endpoint was disabled or not registered yet. What was delivered, and what is still being
     * attempted, stays as it is. Returns the number of due deliveries, 0 for a disabled endpoint.
     *
     * A long range is worked through in steps. Where one fails, those before it stand, and asking again does the rest.
     */
    readonly recover: (
      scope: MerchantScope,
      endpointId: EndpointId,
      range: EventRange,
      now: DateTime.Utc
    ) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/event/EventLog") {}
