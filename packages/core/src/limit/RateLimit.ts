/** Capacity and refill rate of a token bucket. Each request takes one token. */
export interface RateLimit {
  /** Names the limit to clients and in the store. Lower-case ASCII letters and hyphens. */
  readonly name: string
  /** Tokens added per second. Above 0; may be a fraction. */
  readonly perSecond: number
  /** Capacity: the number of simultaneous requests allowed after a pause. A whole number, at least 1. */
  readonly burst: number
}

/** Returns the seconds in which an empty bucket fills, rounded up. `burst` is the quota over this window. */
export const windowSeconds = ({ burst, perSecond }: RateLimit): number => Math.max(1, Math.ceil(burst / perSecond))
