/**
 * The result of claiming an event.
 *
 * - `claimed`: yours alone. Do the work, then `complete`; if it failed and may be retried, `release`.
 * - `running`: another delivery of the same event holds the claim.
 * - `completed`: the work was done before.
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
 * Remembers processed events. Deliveries arrive at least once; the store makes them count once.
 *
 * Pass `createHandler` one that all your processes share, such as a table (the README has one for PostgreSQL).
 */
export interface DedupeStore {
  /**
   * Claims an event atomically: of concurrent calls for one id, at most one gets `claimed`.
   *
   * A claim that is neither completed nor released must expire after a time longer than your work takes, so that a dead
   * process does not hold its event forever. An expired claim must not release the claim of its successor. A completed
   * event must be remembered for as long as it can be sent again: seven days cover every attempt.
   */
  readonly claim: (eventId: string) => Promise<Claim> | Claim
}
