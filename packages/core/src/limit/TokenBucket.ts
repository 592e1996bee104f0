import type { RateLimit } from "./RateLimit.js"

/**
 * A bucket of tokens, represented by the time when it is full again (the generic cell rate algorithm, ITU-T I.371). An
 * unknown bucket counts as full.
 */
export interface TokenBucket {
  readonly fullAtMillis: number
}

/** A request for tokens, in whole numbers. */
export interface Demand {
  /** Tokens for requests that are waiting. */
  readonly needed: number
  /**
   * Number of tokens wanted, including `needed`. The lease gives at most half of the tokens in the bucket, or `needed`
   * if that is more. The rest remain for other processes.
   */
  readonly wanted: number
}

/** Tokens leased from a bucket. */
export interface Portion {
  readonly tokens: number
  /** Whole tokens left in the bucket. */
  readonly remaining: number
  /** Time until the bucket has a token again. 0 if it still has one. */
  readonly waitMillis: number
}

/** Tolerance for rounding errors, which must not withhold a token that is due. */
const tolerance = 1e-6

const levelAt = ({ burst, perSecond }: RateLimit, bucket: TokenBucket | undefined, nowMillis: number): number => {
  const missing = bucket === undefined ? 0 : ((bucket.fullAtMillis - nowMillis) / 1000) * perSecond
  // A bucket cannot lack more than its capacity. If it appears to, for example because the clock was set back, it
  // counts as empty.
  return burst - Math.min(burst, Math.max(0, missing))
}

/** Takes a portion of the available tokens. Returns the portion and the bucket afterwards. */
export const take = (
  limit: RateLimit,
  bucket: TokenBucket | undefined,
  nowMillis: number,
  { needed, wanted }: Demand
): { readonly portion: Portion; readonly bucket: TokenBucket } => {
  const level = levelAt(limit, bucket, nowMillis)
  const whole = Math.floor(level + tolerance)
  const tokens = Math.min(whole, Math.max(needed, Math.min(wanted, Math.floor(level / 2))))
  const left = level - tokens
  const remaining = Math.max(0, Math.floor(left + tolerance))
  return {
    portion: { tokens, remaining, waitMillis: remaining > 0 ? 0 : Math.ceil(((1 - left) / limit.perSecond) * 1000) },
    bucket: { fullAtMillis: nowMillis + ((limit.burst - left) / limit.perSecond) * 1000 }
  }
}
