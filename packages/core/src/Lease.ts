import type { DateTime } from "effect"

/** Exclusive work on `A` until a time. `fence` rises with each lease: a write with an older one stores nothing. */
export type Leased<A> = A & { readonly fence: number }

/** The fence of a record's first lease. */
export const firstFence = 1

/** Leases many due records at once. */
export interface Claim {
  readonly now: DateTime.Utc
  /** When the leases end. A crashed worker's records are due again then. */
  readonly leasedUntil: DateTime.Utc
  /** How many at most. */
  readonly limit: number
}
