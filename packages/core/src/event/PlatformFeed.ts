import { type Array as Arr, Context, type DateTime, type Effect, Schema } from "effect"
import type { Environment } from "../Environment.js"
import type { EventId, MerchantId } from "../Ids.js"
import type { Claim, Leased } from "../Lease.js"
import type { StoreError } from "../StoreError.js"
import { topics } from "./DomainEvent.js"
import { PlatformTopic } from "./PlatformEvent.js"

/** Every topic that the platform is sent: each event of each merchant, and those of its own. */
export const FeedTopic = Schema.Literals([...topics, ...PlatformTopic.literals])
export type FeedTopic = typeof FeedTopic.Type

/** An event that the platform has not confirmed yet. */
export interface FeedEvent {
  readonly id: EventId
  /** Absent if it is of no merchant. */
  readonly merchantId: MerchantId | undefined
  readonly environment: Environment
  readonly topic: FeedTopic
  readonly body: string
  readonly occurredAt: DateTime.Utc
  /** Its place in the order of commits, as `SequencedEvent`'s. */
  readonly sequence: string
}

/**
 * The next unsent events of one merchant, or of no merchant, leased to one sender. No other sender is leased any of
 * that merchant's meanwhile, so they leave in order.
 */
export type LeasedStream = Leased<{
  readonly merchantId: MerchantId | undefined
  /** In the order of commits, beginning with the first that is unsent. */
  readonly events: Arr.NonEmptyReadonlyArray<FeedEvent>
  /** How often sending the first of them has failed. */
  readonly failures: number
}>

/** `limit` counts streams. */
export interface StreamClaim extends Claim {
  /** How many events of each. */
  readonly perStream: number
}

/** A sender's progress in a stream. */
export interface StreamProgress {
  /** The last event that the platform confirmed. Those before it are confirmed too. */
  readonly sentThrough: FeedEvent | undefined
  /** When to try the next one again, if sending it failed. */
  readonly retryAt: DateTime.Utc | undefined
}

export interface FeedStats {
  /** Whether events are kept for the platform. */
  readonly isOn: boolean
  /** Unsent events, counted up to a limit. */
  readonly backlog: number
  /** When the longest-unsent of each merchant's next events happened; undefined if none is unsent. */
  readonly oldestAt: DateTime.Utc | undefined
  /** Merchants whose next event has failed and waits to be sent again. */
  readonly failing: number
}

/**
 * The platform's outbox: every event of every merchant, and the platform's own, from `begin` on, until the platform has
 * confirmed it. An event enters it in the commit of its fact.
 */
export class PlatformFeed extends Context.Service<
  PlatformFeed,
  {
    /** Keeps every event committed from now on. Returns false if it did so already. */
    readonly begin: Effect.Effect<boolean, StoreError>

    /** Deletes the unsent events and keeps no more. Returns false if none were kept. */
    readonly end: Effect.Effect<boolean, StoreError>

    /**
     * Leases streams with unsent events that are not leased and whose `retryAt` has come. Under any concurrency, across
     * processes, one sender at a time has a stream. An event is withheld while an earlier commit of its merchant may
     * still precede it.
     */
    readonly claim: (claim: StreamClaim) => Effect.Effect<ReadonlyArray<LeasedStream>, StoreError>

    /**
     * Ends the lease: removes what was sent, and puts the next off until `retryAt`. Returns false and stores nothing if
     * the fence is no longer the caller's.
     */
    readonly settle: (leased: LeasedStream, progress: StreamProgress) => Effect.Effect<boolean, StoreError>

    /** For an operator. The backlog is counted up to `countLimit`, which bounds the cost. */
    readonly stats: (now: DateTime.Utc, countLimit: number) => Effect.Effect<FeedStats, StoreError>
  }
>()("@surety/core/event/PlatformFeed") {}
