/** How much a client may ask: a token bucket's measures. Each request takes one token. */
export interface RateLimit {
  /** Names the limit to clients and in the store. Lower-case ASCII letters and hyphens. */
  readonly name: string
  /** How many tokens come in a second; more than 0, and it may be a fraction. */
  readonly perSecond: number
  /** How many tokens the bucket holds: what can be asked at once after a pause. A whole number, at least 1. */
  readonly burst: number
}

/** Seconds in which an empty bucket fills, rounded up: the window over which `burst` is the quota. */
export const windowSeconds = ({ burst, perSecond }: RateLimit): number => Math.max(1, Math.ceil(burst / perSecond))
