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
  /** When the leases end. A crashed worker's requests are claimed again then. */
  readonly leasedUntil: DateTime.Utc
  readonly limit: number
}

export interface HostRequestStats {
  /** Pending requests, counted up to a limit. */
  readonly pending: number
  /** When the oldest of them was queued. */
  readonly oldestAt: DateTime.Utc | undefined
}

/**
 * The requests that a host has queued in transactions of its own, until workers have taken them up. On PostgreSQL a host
 * inserts rows itself, by any library, which is the same as `enqueue`.
 */
export class HostRequestStore extends Context.Service<
  HostRequestStore,
  {
    /**
     * Queues a request, in the host's transaction if there is one. The same request again is a no-op, also once it has
     * ended; another one with its key fails with `HostRequestKeyReused`. A payload with a `payloadFault` is refused, which
     * callers prevent.
     */
    readonly enqueue: (request: NewHostRequest) => Effect.Effect<HostRequest, HostRequestKeyReused | StoreError>

    readonly find: (key: HostRequestKey) => Effect.Effect<Option.Option<HostRequest>, StoreError>

    /**
     * Leases pending requests that are due and not leased, longest due first, and counts an attempt of each. Of a queue
     * only the oldest pending one, so those behind it wait until it has ended. Under any concurrency, across processes,
     * one worker has a request.
     *
     * A request whose lease has ended is leased before all others, and alone: it may be the one that crashes its
     * worker, and would use up the attempts of those beside it.
     */
    readonly claim: (claim: HostRequestClaim) => Effect.Effect<ReadonlyArray<LeasedHostRequest>, StoreError>

    /**
     * Runs `work`, which calls verbs of the other stores, and stores the outcome that it returns: both in one commit, or
     * neither. If `work` fails, nothing of it is stored, and its error is returned. Returns none, without running `work`,
     * if the fence is no longer the caller's or the request has ended.
     */
    readonly settle: <E, R>(
      leased: LeasedHostRequest,
      now: DateTime.Utc,
      work: Effect.Effect<HostRequestOutcome, E, R>
    ) => Effect.Effect<Option.Option<HostRequestOutcome>, E | StoreError, R>

    /** For an operator. Counted up to `countLimit`, which bounds the cost. */
    readonly stats: (countLimit: number) => Effect.Effect<HostRequestStats, StoreError>

    /** Deletes about `limit` requests that ended before `before`. Returns how many. */
    readonly forget: (before: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/host/HostRequestStore") {}
