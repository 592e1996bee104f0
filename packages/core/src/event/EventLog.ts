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
  /** Of events of this topic. At most 200 deliveries are looked through for a page, so it may have fewer, or none. */
  readonly topic?: Topic | undefined
  /** Deliveries of events from this time on. */
  readonly since?: DateTime.Utc | undefined
  /** Deliveries of events before this time. */
  readonly until?: DateTime.Utc | undefined
}

/** The health of an endpoint, each number counted up to a limit. */
export interface EndpointHealth {
  readonly pending: number
  readonly failed: number
  /** When the longest waiting delivery was due; undefined if none is due. */
  readonly dueSince: DateTime.Utc | undefined
  /** The last attempts for its newest deliveries, the latest first; at most 20. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** From `since` (inclusive) until `until` (exclusive). */
export interface EventRange {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** A position in commit order: after an event that was returned, or at the first. */
export interface Following {
  readonly after: EventId | undefined
  readonly limit: number
}

/** The merchant's view of its events: a polling fallback, and the outcome of each delivery. */
export class EventLog extends Context.Service<
  EventLog,
  {
    /** Fails with `EventArchived` for an id of a month that is archived, unless the event is still in the store. */
    readonly find: (
      scope: MerchantScope,
      id: EventId
    ) => Effect.Effect<Option.Option<SequencedEvent>, EventArchived | StoreError>

    /** Newest first, without test events. Only one topic's if `topic` is given. */
    readonly list: (
      scope: MerchantScope,
      page: PageRequest,
      topic?: Topic
    ) => Effect.Effect<Page<SequencedEvent>, StoreError>

    /**
     * Events in commit order, without test events: none ever appears before one that was returned. A caller that polls
     * after the last returned event misses none, however late it is committed. An event is withheld while an earlier
     * commit may still precede it. Returns none if `after` is not an event of the scope.
     */
    readonly follow: (
      scope: MerchantScope,
      following: Following
    ) => Effect.Effect<ReadonlyArray<SequencedEvent>, StoreError>

    /**
     * Stores a test event and makes it due at its endpoint, if that is enabled and in the event's scope. Returns the
     * delivery. Otherwise returns none and stores nothing. The platform is not sent it.
     */
    readonly sendTest: (event: TestEvent) => Effect.Effect<Option.Option<Delivery>, StoreError>

    readonly deliveries: (
      scope: MerchantScope,
      id: EventId
    ) => Effect.Effect<ReadonlyArray<DeliveryHistory>, StoreError>

    /** The operator's list across all merchants, deliveries of the newest event first. */
    readonly listDeliveries: (filter: DeliveryFilter, page: PageRequest) => Effect.Effect<Page<Delivery>, StoreError>

    /** The health of an endpoint of the scope at `now`: all zero for an unknown one. */
    readonly endpointHealth: (
      scope: MerchantScope,
      endpointId: EndpointId,
      now: DateTime.Utc,
      countTo: number
    ) => Effect.Effect<EndpointHealth, StoreError>

    /**
     * Makes the event due again at `now`, as if for the first time, at the endpoint or at every enabled endpoint of the
     * environment that subscribes to its topic, even one registered after the event. A test event is sent only to its
     * own endpoint. Returns the number of due deliveries.
     */
    readonly resend: (
      scope: MerchantScope,
      id: EventId,
      endpointId: EndpointId | undefined,
      now: DateTime.Utc
    ) => Effect.Effect<number, StoreError>

    /**
     * Makes due again at `now`, as if for the first time, what an enabled endpoint of the scope missed: each event in
     * the range whose topic it subscribes to, if the delivery failed, or is missing because the endpoint was disabled
     * or not yet registered. Delivered and pending deliveries stay as they are. Returns the number of due deliveries, 0
     * for a disabled endpoint.
     *
     * A long range is processed in steps. If one fails, the earlier steps stay committed; call again to do the rest.
     *
     * Fails with `EventArchived`, and makes nothing due, if events of the range are archived; for an empty range, only
     * its moment counts.
     */
    readonly recover: (
      scope: MerchantScope,
      endpointId: EndpointId,
      range: EventRange,
      now: DateTime.Utc
    ) => Effect.Effect<number, EventArchived | StoreError>
  }
>()("@surety/core/event/EventLog") {}
