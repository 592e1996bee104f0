import type { RateLimit } from "./RateLimit.js"

/**
 * A bucket of tokens, described by when it is full again (the generic cell rate algorithm, ITU-T I.371). An unknown
 * bucket is full.
 */
export interface TokenBucket {
  readonly fullAtMillis: number
}

/** A request for tokens. Whole numbers. */
export interface Demand {
  /** Tokens that requests are waiting for. */
  readonly needed: number
  /** Tokens wanted, `needed` included. The surplus is leased only if as many remain for others. */
  readonly wanted: number
}

/** Tokens leased from a bucket. */
export interface Portion {
  readonly tokens: number
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Until the next token; 0 if one is left. */
  readonly waitMillis: number
}

/** So that rounding never withholds a token that is due. */
const tolerance = 1e-6

const levelAt = ({ burst, perSecond }: RateLimit, bucket: TokenBucket | undefined, nowMillis: number): number => {
  const missing = bucket === undefined ? 0 : ((bucket.fullAtMillis - nowMillis) / 1000) * perSecond
  // A bucket cannot lack more than its capacity. If it seems to, the clock was set back.
  return burst - Math.min(burst, Math.max(0, missing))
}

/** Takes a portion of the tokens that the bucket has. Returns it and the remaining bucket. */
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
