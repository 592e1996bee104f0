import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Environment } from "../Environment.js"
import type { EndpointId, EventId, MerchantId } from "../Ids.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Page, PageRequest } from "../Page.js"
import type { StoreError } from "../StoreError.js"
import type { Delivery, DeliveryAttempt, DeliveryStatus } from "./Delivery.js"
import type { SequencedEvent, TestEvent, Topic } from "./DomainEvent.js"
import type { EventArchived } from "./EventArchived.js"

/** A delivery with its attempts, the oldest attempt first. */
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
  /**
   * Selects deliveries of this topic's events. A store may search only 200 deliveries per page, so a page before the
   * last may be short or empty.
   */
  readonly topic?: Topic | undefined
  /** Selects deliveries of events created at or after this time, judged by the event's id. */
  readonly since?: DateTime.Utc | undefined
  /** Selects deliveries of events created before this time, judged by the event's id. */
  readonly until?: DateTime.Utc | undefined
}

/** Health of an endpoint. Counts stop at the `countTo` of `endpointHealth`. */
export interface EndpointHealth {
  readonly pending: number
  readonly failed: number
  /** When the longest-waiting due delivery became due. Undefined if none is due. */
  readonly dueSince: DateTime.Utc | undefined
  /** Latest attempts at the endpoint's newest deliveries, the latest first. At most 20. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/**
 * Events recorded from `since` (inclusive) until `until` (exclusive), judged by their ids. An event may be dated
 * earlier: an expiry is dated when it was due, and recorded when a worker finds it.
 */
export interface EventRange {
  readonly since: DateTime.Utc
  readonly until: DateTime.Utc
}

/** Cursor and page size for `follow`. */
export interface Following {
  /** The last event already received. Undefined to start at the first event. */
  readonly after: EventId | undefined
  readonly limit: number
}

/** Merchants' events and their deliveries. */
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

    /** Lists events except test events, newest first. If `topic` is given, lists only events of that topic. */
    readonly list: (
      scope: MerchantScope,
      page: PageRequest,
      topic?: Topic
    ) => Effect.Effect<Page<SequencedEvent>, StoreError>

    /**
     * Returns events except test events, in the order of their `sequence`. No event ever appears before one already
     * returned. A caller that polls after the last returned event misses none, however late an event is committed. An
     * event is withheld while a commit in progress may still add one before it. Returns an empty list if `after` is a
     * test event or not a stored event of the scope.
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

    /**
     * Lists deliveries that match `filter`, newest event first. Without a `merchantId`, lists those of all merchants.
     */
    readonly listDeliveries: (filter: DeliveryFilter, page: PageRequest) => Effect.Effect<Page<Delivery>, StoreError>

    /** Returns the health of an endpoint of the scope at `now`. All counts are zero if the endpoint is unknown. */
    readonly endpointHealth: (
      scope: MerchantScope,
      endpointId: EndpointId,
      now: DateTime.Utc,
      countTo: number
    ) => Effect.Effect<EndpointHealth, StoreError>

    /**
     * Makes deliveries of the event due at `now`, even those that succeeded, and returns their number. Each gets all
     * its attempts again, numbered from 1. Past attempts stay recorded. With `endpointId`, sends the event only to that
     * endpoint, if enabled, even if it does not subscribe to the topic. Without `endpointId`, sends it to every enabled
     * endpoint of the scope that now subscribes. A test event is sent only to its own endpoint.
     */
    readonly resend: (
      scope: MerchantScope,
      id: EventId,
      endpointId: EndpointId | undefined,
      now: DateTime.Utc
    ) => Effect.Effect<number, StoreError>

    /**
     * Fails with `EventArchived` if a month of the range is archived. Months before the merchant's creation do not
     * count.
     */
    readonly checkRange: (scope: MerchantScope, range: EventRange) => Effect.Effect<void, EventArchived | StoreError>

    /**
     * Makes failed and missing deliveries to an endpoint of the scope due at `now`. Each gets all its attempts again,
     * numbered from 1. Past attempts stay recorded. Covers the events in the range whose topics the endpoint now
     * subscribes to, without test events. A delivery is missing if the endpoint was disabled, not yet registered or not
     * subscribed when the event was recorded. A delivery deleted by retention is also missing. Other deliveries stay
     * unchanged. Returns the number made due, which is 0 for a disabled endpoint.
     *
     * A long range is processed in steps. If a step fails, earlier steps stay committed, and another call processes the
     * remaining ones.
     *
     * Makes nothing due if `checkRange` fails.
     */
    readonly recover: (
      scope: MerchantScope,
      endpointId: EndpointId,
      range: EventRange,
      now: DateTime.Utc
    ) => Effect.Effect<number, EventArchived | StoreError>
  }
>()("@surety/core/event/EventLog") {}
