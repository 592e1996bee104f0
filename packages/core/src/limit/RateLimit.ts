/** The size of a token bucket. Each request takes one token. */
export interface RateLimit {
  /** Names the limit to clients and in the store. Lower-case ASCII letters and hyphens. */
  readonly name: string
  /** Tokens added each second. Above 0; may be a fraction. */
  readonly perSecond: number
  /** Capacity: how many requests may come at once after a pause. A whole number, at least 1. */
  readonly burst: number
}

/** Seconds in which an empty bucket fills, rounded up: the window over which `burst` is the quota. */
export const windowSeconds = ({ burst, perSecond }: RateLimit): number => Math.max(1, Math.ceil(burst / perSecond))
