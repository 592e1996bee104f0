import { Context, type DateTime, type Effect } from "effect"
import type { DataRequestId, GrantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { LinkedDataRequest } from "./ConsentLog.js"

/** What is due to expire, the longest due first. */
export interface Lapsed {
  readonly requests: ReadonlyArray<DataRequestId>
  readonly grants: ReadonlyArray<GrantId>
}

export interface NotificationClaim {
  readonly now: DateTime.Utc
  /**
   * When the notification is due again unless it is recorded as sent, so that another sender takes over from a crashed
   * one.
   */
  readonly againAt: DateTime.Utc
  readonly limit: number
  /** Only this request's. */
  readonly id?: DataRequestId | undefined
}

/** What background workers call, for all merchants at once. */
export class ConsentUpkeep extends Context.Service<
  ConsentUpkeep,
  {
    /** At most `limit` each of the `PENDING` requests and the `ACTIVE` grants that have expired at `now`. */
    readonly lapsed: (now: DateTime.Utc, limit: number) => Effect.Effect<Lapsed, StoreError>

    /**
     * Claims the pending requests whose notification is due at `now`, the longest due first, and makes each due again
     * at `againAt`. Of concurrent senders, in any processes, only one gets each.
     */
    readonly claimNotifications: (
      claim: NotificationClaim
    ) => Effect.Effect<ReadonlyArray<LinkedDataRequest>, StoreError>

    /**
     * Records that the person was notified. The next notification, a reminder, is due at `remindAt`; none if undefined.
     * A no-op if no notification is due any more.
     */
    readonly recordNotified: (id: DataRequestId, remindAt?: DateTime.Utc) => Effect.Effect<void, StoreError>

    /** Puts the notification off until `at`. A no-op if none is due any more. */
    readonly putOffNotification: (id: DataRequestId, at: DateTime.Utc) => Effect.Effect<void, StoreError>

    /**
     * Deletes the idempotency key, fingerprint, answer and link of at most `limit` requests created before `madeBefore`
     * that are no longer `PENDING`, the oldest first. The requests stay; their keys are free. Returns how many.
     */
    readonly forgetAnswers: (madeBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/ConsentUpkeep") {}
