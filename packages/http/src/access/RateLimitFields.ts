import { type RateLimit, windowSeconds } from "@surety/core/limit/RateLimit"
import type { RateVerdict } from "@surety/core/limit/RateLimiter"

/**
 * Rounds up to whole seconds, at least 1, because a client that receives 0 retries immediately. Also returns 1 if a
 * host's limiter returns no finite time.
 */
const wholeSeconds = (millis: number): number => (Number.isFinite(millis) ? Math.max(1, Math.ceil(millis / 1000)) : 1)

const policies = new WeakMap<RateLimit, string>()

const policyOf = (limit: RateLimit): string => {
  const known = policies.get(limit)
  if (known !== undefined) return known
  const policy = `"${limit.name}";q=${limit.burst};w=${windowSeconds(limit)}`
  policies.set(limit, policy)
  return policy
}

/**
 * Builds `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). The quota is the bucket's
 * capacity and the window the time to fill it. `t` is the time until the bucket is full or, on a refusal, the same as
 * `Retry-After`.
 */
export const rateLimitFields = ({
  limit,
  remaining,
  resetMillis
}: RateVerdict): { readonly "ratelimit-policy": string; readonly ratelimit: string } => ({
  "ratelimit-policy": policyOf(limit),
  ratelimit: `"${limit.name}";r=${remaining};t=${wholeSeconds(resetMillis)}`
})

export const retryAfterField = ({ resetMillis }: RateVerdict): { readonly "retry-after": string } => ({
  "retry-after": String(wholeSeconds(resetMillis))
})
