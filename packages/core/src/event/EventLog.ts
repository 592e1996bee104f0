import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { EndpointId, EventId, MerchantId } from "../Ids.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Delivery, DeliveryAttempt, DeliveryStatus } from "./Delivery.js"
import type { SequencedEvent, TestEvent, Topic } from "./DomainEvent.js"
import type { EventArchived } from "./EventArchived.js"

/** A delivery and its attempts, oldest first. */
export interface DeliveryHistory {
  readonly delivery: Delivery
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** Selects deliveries of an environment. Undefined fields do not filter. */
export interface DeliveryFilter {
  readonly environment: Environment
  readonly status: DeliveryStatus | undefined
  readonly merchantId: MerchantId | undefined
  readonly endpointId: EndpointId | undefined
  /** Deliveries of this topic's events. A page is drawn from at most 200 deliveries, so it may hold fewer, or none. */
  readonly topic?: Topic | undefined
  /** Deliveries of events from this time on. */
  readonly since?: DateTime.Utc | undefined
  /** Deliveries of events before this time. */
  readonly until?: DateTime.Utc | undefined
}

/** Health of an endpoint. Each count stops at a limit. */
export interface EndpointHealth {
  readonly pending: number
  readonly failed: number
  /** When the longest-waiting delivery became due. Undefined if none is due. */
  readonly dueSince: DateTime.Utc | undefined
  /** The latest attempts at its newest deliveries, the latest first. At most 20. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** From `since` (inclusive) until `until` (exclusive). */
export interface EventRange {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** A position in commit order: after a returned event, or before the first one. */
export interface Following {
  readonly after: EventId | undefined
  readonly limit: number
}

/** The merchant's view of its events: the polling fallback, and the outcome of each delivery. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * Finds an event. Fails with `EventArchived` if the id's month is archived, unless the event is still in the store.
     */
    readonly find: (
      scope: MerchantScope,
      id: EventId
    ) => Effect.Effect<Option.Option<SequencedEvent>, EventArchived | StoreError>

    /** Lists events, newest first, without test events. Lists only those of `topic` if given. */
    readonly list: (
      scope: MerchantScope,
      page: PageRequest,
      topic?: Topic
    ) => Effect.Effect<Page<SequencedEvent>, StoreError>

    /**
     * Returns events in commit order, without test events. No event ever appears before one already returned, so a
     * caller that polls after the last returned event misses none, however late it is committed. An event is withheld
     * while an earlier commit may still precede it. Returns an empty list if `after` is not an event of the scope.
     */
    readonly follow: (
      scope: MerchantScope,
      following: Following
    ) => Effect.Effect<ReadonlyArray<SequencedEvent>, StoreError>

    /**
     * Stores a test event, makes it due at its endpoint, and returns the delivery. Returns `None` and stores nothing if
     * the endpoint is disabled or outside the event's scope. The platform does not receive the event.
     */
    readonly sendTest: (event: TestEvent) => Effect.Effect<Option.Option<Delivery>, StoreError>

    readonly deliveries: (
      scope: MerchantScope,
      id: EventId
    ) => Effect.Effect<ReadonlyArray<DeliveryHistory>, StoreError>

    /** Lists deliveries of all merchants for the operator, those of the newest event first. */
    readonly listDeliveries: (filter: DeliveryFilter, page: PageRequest) => Effect.Effect<Page<Delivery>, StoreError>

    /** Returns the health of an endpoint of the scope at `now`. All counts are zero if the endpoint is unknown. */
    readonly endpointHealth: (
      scope: MerchantScope,
      endpointId: EndpointId,
      now: DateTime.Utc,
      countTo: number
    ) => Effect.Effect<EndpointHealth, StoreError>

    /**
     * Makes the event due again at `now`, as if for the first time. The target is the given endpoint, or every enabled
     * endpoint of the environment subscribed to its topic, even one registered after the event. A test event is sent
     * only to its own endpoint. Returns the number of due deliveries.
     */
    readonly resend: (
      scope: MerchantScope,
      id: EventId,
      endpointId: EndpointId | undefined,
      now: DateTime.Utc
    ) => Effect.Effect<number, StoreError>

    /**
     * Makes due again at `now`, as if for the first time, what an enabled endpoint of the scope missed: the events in
     * the range whose topic it subscribes to and whose delivery failed or is missing. A delivery is missing if the
     * endpoint was disabled or not yet registered. Delivered and pending deliveries stay unchanged. Returns the number
     * of due deliveries, which is 0 for a disabled endpoint.
     *
     * A long range is processed in steps. If a step fails, earlier ones stay committed. Call again to process the rest.
     *
     * Fails with `EventArchived`, and makes nothing due, if events in the range are archived. An empty range is checked
     * at its start only.
     */
    readonly recover: (
      scope: MerchantScope,
      endpointId: EndpointId,
      range: EventRange,
      now: DateTime.Utc
    ) => Effect.Effect<number, EventArchived | StoreError>
  }
>()("@surety/core/event/EventLog") {}
