import type { RateLimit } from "./RateLimit.js"
import type { RateVerdict } from "./RateLimiter.js"
import * as TokenBucket from "./TokenBucket.js"

/**
 * Token buckets of this process alone. They enforce limits while the shared buckets, or a host's limiter, are
 * unavailable. An unused bucket is full.
 */
export interface OwnBuckets {
  /** Takes a token from the limit's bucket for `key`. The request is not allowed if no token is left. */
  readonly take: (limit: RateLimit, key: string, nowMillis: number) => RateVerdict
  /** Returns the verdict that a request would get now. Takes no token, so `remaining` includes the request's own. */
  readonly peek: (limit: RateLimit, key: string, nowMillis: number) => RateVerdict
  /** Deletes full buckets, which are equivalent to unused ones. */
  readonly forgetFull: (nowMillis: number) => void
}

/** Builds the id of the bucket for `key`. Limits with the same name share it. */
export const bucketId = ({ name }: RateLimit, key: string): string => `${name} ${key}`

const one: TokenBucket.Demand = { needed: 1, wanted: 1 }
const none: TokenBucket.Demand = { needed: 0, wanted: 0 }

const verdictOf = (limit: RateLimit, { remaining, waitMillis }: TokenBucket.Portion, isAllowed: boolean) => ({
  limit,
  isAllowed,
  remaining,
  resetMillis: Math.ceil(isAllowed ? ((limit.burst - remaining) / limit.perSecond) * 1000 : waitMillis)
})

export const make = (): OwnBuckets => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()
  return {
    take: (limit, key, nowMillis) => {
      const id = bucketId(limit, key)
      const { bucket, portion } = TokenBucket.take(limit, buckets.get(id), nowMillis, one)
      buckets.set(id, bucket)
      return verdictOf(limit, portion, portion.tokens > 0)
    },
    peek: (limit, key, nowMillis) => {
      const { portion } = TokenBucket.take(limit, buckets.get(bucketId(limit, key)), nowMillis, none)
      return verdictOf(limit, portion, portion.remaining > 0)
    },
    forgetFull: (nowMillis) => {
      for (const [id, { fullAtMillis }] of buckets) if (fullAtMillis <= nowMillis) buckets.delete(id)
    }
  }
}
