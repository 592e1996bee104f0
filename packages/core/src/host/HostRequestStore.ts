import { Context, type DateTime, type Effect, type Option } from "effect"
import type { StoreError } from "../StoreError.js"
import type {
  HostRequest,
  HostRequestKey,
  HostRequestKeyReused,
  HostRequestOutcome,
  LeasedHostRequest,
  NewHostRequest
} from "./HostRequest.js"

export interface HostRequestClaim {
  readonly now: DateTime.Utc
  /** When the leases end. A crashed worker's requests can then be claimed again. */
  readonly leasedUntil: DateTime.Utc
  readonly limit: number
}

export interface HostRequestStats {
  /** Number of pending requests, counted up to the limit of `stats`. */
  readonly pending: number
  /** When the oldest pending request was queued. Undefined if none is pending. */
  readonly oldestAt: DateTime.Utc | undefined
}

/**
 * Requests that a host queues in its own transactions, for workers to perform. On PostgreSQL a host may instead insert
 * the rows directly, using any library.
 */
export class HostRequestStore extends Context.Service<
  HostRequestStore,
  {
    /**
     * Queues a request, in the host's transaction if one is open. Queueing the same request again is a no-op, even
     * after it has ended, until `forget` deletes it. Fails with `HostRequestKeyReused` if the key belongs to another
     * request, or to one about a person erased since then. A payload with a `payloadFault` fails with `StoreError`, so
     * callers must check the payload first.
     */
    readonly enqueue: (request: NewHostRequest) => Effect.Effect<HostRequest, HostRequestKeyReused | StoreError>

    readonly find: (key: HostRequestKey) => Effect.Effect<Option.Option<HostRequest>, StoreError>

    /**
     * Leases pending requests that are due and not leased, longest overdue first, and counts an attempt for each. Only
     * the oldest pending request of a queue is leased, so later ones wait until it ends. Under any concurrency, across
     * processes, a request is leased to one worker at a time.
     *
     * A request whose lease has expired is leased before all others, in a claim of its own. It may have crashed its
     * worker, and another crash would cost every other request in the claim an attempt.
     */
    readonly claim: (claim: HostRequestClaim) => Effect.Effect<ReadonlyArray<LeasedHostRequest>, StoreError>

    /**
     * Runs `work`, which calls methods of the other stores, and stores its outcome in the same commit. If `work` fails,
     * stores nothing and fails with its error. Returns `None` without running `work` if the fence is out of date or
     * the request has ended.
     */
    readonly settle: <E, R>(
      leased: LeasedHostRequest,
      now: DateTime.Utc,
      work: Effect.Effect<HostRequestOutcome, E, R>
    ) => Effect.Effect<Option.Option<HostRequestOutcome>, E | StoreError, R>

    /** Returns statistics on the pending requests. Counts requests only up to `countLimit`, to limit the cost. */
    readonly stats: (countLimit: number) => Effect.Effect<HostRequestStats, StoreError>

    /** Deletes up to `limit` requests that ended before `before`, and returns the count. */
    readonly forget: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/host/HostRequestStore") {}
