import { Context, type DateTime, type Effect } from "effect"
import type { DataRequestId, GrantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { LinkedDataRequest } from "./ConsentLog.js"

/** Requests and grants that have expired but are not yet stored as `EXPIRED`, longest overdue first. */
export interface Lapsed {
  readonly requests: ReadonlyArray<DataRequestId>
  readonly grants: ReadonlyArray<GrantId>
}

export interface NotificationClaim {
  readonly now: DateTime.Utc
  /** When a claimed notification is due again if its sender records no outcome. */
  readonly againAt: DateTime.Utc
  readonly limit: number
  /** Limits the claim to this request. */
  readonly id?: DataRequestId | undefined
}

/** Storage for `ConsentSweep` and for notifications, across all merchants. */
export class ConsentUpkeep extends Context.Service<
  ConsentUpkeep,
  {
    /** Finds `PENDING` requests and `ACTIVE` grants that have expired by `now`, at most `limit` of each. */
    readonly lapsed: (now: DateTime.Utc, limit: number) => Effect.Effect<Lapsed, StoreError>

    /**
     * Claims pending requests whose notification is due at `now`, longest overdue first. Postpones the notifications
     * until `againAt`, so only one of several concurrent senders, across processes, claims each of them.
     */
    readonly claimNotifications: (
      claim: NotificationClaim
    ) => Effect.Effect<ReadonlyArray<LinkedDataRequest>, StoreError>

    /**
     * Call this after notifying the person. Schedules a reminder at `remindAt`, or no further notification if it is
     * undefined. A no-op if no notification is scheduled.
     */
    readonly recordNotified: (id: DataRequestId, remindAt?: DateTime.Utc) => Effect.Effect<void, StoreError>

    /** Postpones the notification until `at`. A no-op if no notification is scheduled. */
    readonly putOffNotification: (id: DataRequestId, at: DateTime.Utc) => Effect.Effect<void, StoreError>

    /**
     * Deletes the idempotency keys, fingerprints, responses and links of up to `limit` requests, oldest first. Selects
     * requests that are no longer `PENDING` and whose latest key was stored before `madeBefore`. The requests remain,
     * and their keys become free. Returns the number of requests.
     */
    readonly forgetAnswers: (madeBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/ConsentUpkeep") {}
