/** Capacity and refill rate of a token bucket. Each counted request takes one token. */
export interface RateLimit {
  /** Name of the limit in the store and, for some limits, in response headers. Lower-case ASCII letters and hyphens. */
  readonly name: string
  /** Tokens added per second: positive, possibly fractional. */
  readonly perSecond: number
  /** Capacity: the number of simultaneous requests allowed after a pause. A whole number, at least 1. */
  readonly burst: number
}

/**
 * Returns the time to fill an empty bucket, in seconds, rounded up, at least 1. Clients see this window, with `burst`
 * as its quota.
 */
export const windowSeconds = ({ burst, perSecond }: RateLimit): number => Math.max(1, Math.ceil(burst / perSecond))
