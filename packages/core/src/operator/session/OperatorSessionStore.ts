import { Context, type DateTime, type Effect, type Option } from "effect"
import type { OperatorSessionId } from "../../Ids.js"
import type { Page, PageRequest } from "../../Page.js"
import type { StoreError } from "../../StoreError.js"
import type { OperatorSession, SessionTokenHash } from "./OperatorSession.js"

/**
 * Defines which sessions are active: those that end after `now` and were last used after `usedAfter`. An inactive
 * session is never returned, even before it is swept.
 */
export interface InForce {
  readonly now: DateTime.Utc
  readonly usedAfter: DateTime.Utc
}

/** Operators' console sessions. Only the hash of a session's token is stored. */
export class OperatorSessionStore extends Context.Service<
  OperatorSessionStore,
  {
    readonly insert: (session: OperatorSession, tokenHash: SessionTokenHash) => Effect.Effect<void, StoreError>

    /**
     * Returns the token's session, if active. If `lastUsedAt` is not after `touchedBefore`, sets it to `now`, but never
     * to an earlier time.
     */
    readonly use: (
      tokenHash: SessionTokenHash,
      inForce: InForce & { readonly touchedBefore: DateTime.Utc }
    ) => Effect.Effect<Option.Option<OperatorSession>, StoreError>

    /**
     * Ends a session and returns it, or `None` if it does not exist or is no longer active. No later `use` finds the
     * session.
     */
    readonly end: (id: OperatorSessionId, inForce: InForce) => Effect.Effect<Option.Option<OperatorSession>, StoreError>

    /** Ends all active sessions of an operator, and returns the count. */
    readonly endAll: (operator: string, inForce: InForce) => Effect.Effect<number, StoreError>

    /** Lists active sessions, newest first. An undefined operator does not filter. */
    readonly list: (
      operator: string | undefined,
      inForce: InForce,
      page: PageRequest
    ) => Effect.Effect<Page<OperatorSession>, StoreError>

    /** Deletes at most `limit` sessions that are no longer active, and returns the count. */
    readonly sweep: (inForce: InForce, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@surety/core/operator/session/OperatorSessionStore") {}
