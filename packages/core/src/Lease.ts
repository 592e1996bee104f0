import type { DateTime } from "effect"

/**
 * A record `A` leased to one worker for a limited time. `fence` rises with each lease, and a write with an older fence
 * stores nothing.
 */
export type Leased<A> = A & { readonly fence: number }

/** Fence of the first lease of a refund, verification or host request. */
export const firstFence = 1

/** A request to lease up to `limit` due records in one call. */
export interface Claim {
  readonly now: DateTime.Utc
  /** End of the leases. If the worker crashes, its records are due again at this time. */
  readonly leasedUntil: DateTime.Utc
  readonly limit: number
}
