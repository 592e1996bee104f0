import type { RateLimit } from "./RateLimit.js"

/**
 * A bucket of tokens. When it will be full again is all there is to know of it (the generic cell rate algorithm, ITU-T
 * I.371); one that nobody knows of is full.
 */
export interface TokenBucket {
  readonly fullAtMillis: number
}

/** What is asked of a bucket at once. Whole numbers. */
export interface Demand {
  /** Tokens for which requests are waiting. */
  readonly needed: number
  /** Tokens that would be welcome, `needed` included: they are given only as long as as many remain for others. */
  readonly wanted: number
}

/** What a bucket gave. */
export interface Grant {
  readonly tokens: number
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Until there is a token again; 0 where one is left. */
  readonly waitMillis: number
}

/** Rounding may not cost a token whose time has come. */
const tolerance = 1e-6

const levelAt = ({ burst, perSecond }: RateLimit, bucket: TokenBucket | undefined, nowMillis: number): number => {
  const missing = bucket === undefined ? 0 : ((bucket.fullAtMillis - nowMillis) / 1000) * perSecond
  // A bucket cannot lack more than it holds: where it seems to, the clock was set back.
  return burst - Math.min(burst, Math.max(0, missing))
}

/** Takes as many tokens as can be given, and answers the bucket that is left. */
export const take = (
  limit: RateLimit,
  bucket: TokenBucket | undefined,
  nowMillis: number,
  { needed, wanted }: Demand
): { readonly grant: Grant; readonly bucket: TokenBucket } => {
  const level = levelAt(limit, bucket, nowMillis)
  const whole = Math.floor(level + tolerance)
  const tokens = Math.min(whole, Math.max(needed, Math.min(wanted, Math.floor(level / 2))))
  const left = level - tokens
  const remaining = Math.max(0, Math.floor(left + tolerance))
  return {
    grant: { tokens, remaining, waitMillis: remaining > 0 ? 0 : Math.ceil(((1 - left) / limit.perSecond) * 1000) },
    bucket: { fullAtMillis: nowMillis + ((limit.burst - left) / limit.perSecond) * 1000 }
  }
}
