/**
 * The result of claiming an event.
 *
 * - `claimed`: you hold the claim. Do the work, then call `complete`, or `release` if it failed and may be
 *   retried.
 * - `running`: another delivery of the same event holds the claim, or the store has no room for a new claim.
 * - `completed`: the work is already done.
 */
export type Claim =
  | {
      readonly state: "claimed"
      readonly complete: () => Promise<void> | void
      readonly release: () => Promise<void> | void
    }
  | { readonly state: "running" }
  | { readonly state: "completed" }

/**
 * Remembers processed events, because the same event can be delivered more than once.
 *
 * Pass `createHandler` a store that all your processes share, such as a table. The README has a store for PostgreSQL.
 */
export interface DedupeStore {
  /**
   * Claims an event atomically. Of several concurrent calls for one id, at most one gets `claimed`.
   *
   * A claim that is neither completed nor released must expire. Otherwise a dead process would hold its event forever.
   * A claim must last longer than your work takes. Releasing an expired claim must not release its successor. Remember
   * a completed event for at least ten days, which covers the retry schedule. A requested resend can arrive later.
   */
  readonly claim: (eventId: string) => Promise<Claim> | Claim
}
