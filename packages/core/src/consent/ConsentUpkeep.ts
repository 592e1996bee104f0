import { Context, type DateTime, type Effect } from "effect"
import type { DataRequestId, GrantId } from "../Ids.js"
import type { StoreError } from "../StoreError.js"
import type { LinkedDataRequest } from "./ConsentLog.js"

/** What is due to expire, the longest due first. */
export interface Lapsed {
  readonly requests: ReadonlyArray<DataRequestId>
  readonly grants: ReadonlyArray<GrantId>
}

export interface NoticeClaim {
  readonly now: DateTime.Utc
  /** From when on the notice is due again, unless it was recorded as sent: a sender that died gives it back so. */
  readonly againAt: DateTime.Utc
  readonly limit: number
  /** This request's only. */
  readonly id?: DataRequestId | undefined
}

/** What the workers ask of the store, for all merchants at once. */
export class ConsentUpkeep extends Context.Service<
  ConsentUpkeep,
  {
    /** At most `limit` each of the `PENDING` requests and the `ACTIVE` grants whose time is up at `now`. */
    readonly lapsed: (now: DateTime.Utc, limit: number) => Effect.Effect<Lapsed, StoreError>

    /**
     * Takes the pending requests whose person is to be told and that are due at `now`, the longest due first, and makes
     * each due again at `againAt`. Of any number of senders, in whatever processes, one has it until then.
     */
    readonly claimNotices: (claim: NoticeClaim) => Effect.Effect<ReadonlyArray<LinkedDataRequest>, StoreError>

    /**
     * The person was told. The next notice of this request, a reminder, is due at `remindAt`; none where there is none.
     * Nothing changes for a request that no notice is due of any more.
     */
    readonly recordNotified: (id: DataRequestId, remindAt?: DateTime.Utc) => Effect.Effect<void, StoreError>

    /** The person could not be told: the notice is due at `at`, unless none is due any more. */
    readonly putOffNotice: (id: DataRequestId, at: DateTime.Utc) => Effect.Effect<void, StoreError>

    /**
     * Forgets the idempotency key, fingerprint, answer and link of at most `limit` requests that were made before
     * `madeBefore` and are no longer `PENDING`, the oldest first. The requests stay; their keys are free. Answers how many
     * there were.
     */
    readonly forgetAnswers: (madeBefore: DateTime.Utc, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/consent/ConsentUpkeep") {}
