/**
 * What became of an attempt to claim an event.
 *
 * - `claimed`: yours alone. Do the work, then `complete`; or `release`, when it failed and may be tried again.
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
 * Remembers which events have been dealt with. Deliveries come at least once; this is what makes them count once.
 *
 * Give one to `createHandler` that all your processes share, for instance a table (the README has one for PostgreSQL).
 */
export interface DedupeStore {
  /**
   * Claims an event, atomically: of any number of concurrent calls for one id, at most one is answered `claimed`.
   *
   * A claim that is neither completed nor released must end by itself after a time that is longer than your work takes,
   * so that a process which died does not hold its event for ever; and it must then no longer be able to release the claim
   * of whoever took over. A completed event must be remembered for as long as it can be sent again: seven days cover
   * every attempt.
   */
  readonly claim: (eventId: string) => Promise<Claim> | Claim
}
