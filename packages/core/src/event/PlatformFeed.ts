import { type Array as Arr, Context, type DateTime, type Effect, Schema } from "effect"
import type { Environment } from "../Environment.js"
import type { EventId, MerchantId } from "../Ids.js"
import type { Claim, Leased } from "../Lease.js"
import type { StoreError } from "../StoreError.js"
import { topics } from "./DomainEvent.js"
import { PlatformTopic } from "./PlatformEvent.js"

/** Every topic sent to the platform: the topics of merchants' events and the platform's own. */
export const FeedTopic = Schema.Literals([...topics, ...PlatformTopic.literals])
export type FeedTopic = typeof FeedTopic.Type

/** An event that the platform has not yet confirmed. */
export interface FeedEvent {
  readonly id: EventId
  /** Undefined if the event concerns no merchant. */
  readonly merchantId: MerchantId | undefined
  readonly environment: Environment
  readonly topic: FeedTopic
  readonly body: string
  readonly occurredAt: DateTime.Utc
  /** The event's position in its stream, as in `SequencedEvent`. */
  readonly sequence: string
}

/**
 * The next unsent events of one stream, leased to one sender. A stream holds the events of one merchant, or those that
 * concern no merchant. While the lease lasts, no other sender gets the stream's events, so they are sent in order.
 */
export type LeasedStream = Leased<{
  readonly merchantId: MerchantId | undefined
  /** In the order of their `sequence`, starting with the first unsent event. */
  readonly events: Arr.NonEmptyReadonlyArray<FeedEvent>
  /** Number of failed attempts to send the stream's first unsent event. */
  readonly failures: number
}>

/** A claim whose `limit` counts streams. */
export interface StreamClaim extends Claim {
  /** Maximum number of events per stream. */
  readonly perStream: number
}

/** A sender's progress in a stream. */
export interface StreamProgress {
  /** The last confirmed event. It implies that all earlier events of the stream are confirmed. Undefined if none is. */
  readonly sentThrough: FeedEvent | undefined
  /** When to retry the next event, if sending it failed. */
  readonly retryAt: DateTime.Utc | undefined
}

export interface FeedStats {
  /** True if the feed stores events for the platform. */
  readonly isOn: boolean
  /** Number of unsent events, counted up to the limit of `stats`. */
  readonly backlog: number
  /** The earliest `occurredAt` of the streams' next unsent events. Undefined if no event is unsent. */
  readonly oldestAt: DateTime.Utc | undefined
  /** Number of streams with at least one failed attempt to send their next event. */
  readonly failing: number
  /** Number of streams with unsent events and no failed attempt to send the next one. */
  readonly healthy: number
}

/**
 * The platform's outbox. Between `begin` and `end`, each commit also stores its events here: the platform's own, and
 * merchants' events except test events. An event stays until the platform confirms it or `end` deletes it.
 */
export class PlatformFeed extends Context.Service<
  PlatformFeed,
  {
    /**
     * Turns the feed on, so that later commits store their events here, except test events. Returns false if the feed
     * was already on.
     */
    readonly begin: Effect.Effect<boolean, StoreError>

    /** Deletes unsent events and stops storing new ones. Returns false if the feed was already off. */
    readonly end: Effect.Effect<boolean, StoreError>

    /**
     * Leases streams that have unsent events, are not leased, and have reached their `retryAt`. Under any concurrency,
     * across processes, only one sender holds a stream. An event is withheld while a commit in progress may still add
     * one before it.
     */
    readonly claim: (claim: StreamClaim) => Effect.Effect<ReadonlyArray<LeasedStream>, StoreError>

    /**
     * Ends the lease, removes the confirmed events, and delays the next event until `retryAt`, if set. Returns false
     * and stores nothing if another call ended or replaced the lease.
     */
    readonly settle: (leased: LeasedStream, progress: StreamProgress) => Effect.Effect<boolean, StoreError>

    /** Returns the state of the feed. Counts the backlog only up to `countLimit`, to limit the cost. */
    readonly stats: (now: DateTime.Utc, countLimit: number) => Effect.Effect<FeedStats, StoreError>
  }
>()("@surety/core/event/PlatformFeed") {}
