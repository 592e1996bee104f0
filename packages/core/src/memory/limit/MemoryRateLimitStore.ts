import { Clock, Effect, Layer } from "effect"
import { RateLimitStore } from "../../limit/RateLimitStore.js"
import * as TokenBucket from "../../limit/TokenBucket.js"

/** Provides `RateLimitStore` for this process only. */
export const layer: Layer.Layer<RateLimitStore> = Layer.sync(RateLimitStore, () => {
  const buckets = new Map<string, TokenBucket.TokenBucket>()

  const lease: RateLimitStore["Service"]["lease"] = (limit, key, demand) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const id = `${limit.name} ${key}`
      const { bucket, portion } = TokenBucket.take(limit, buckets.get(id), now, demand)
      buckets.set(id, bucket)
      return portion
    })

  const forgetFull = Effect.map(Clock.currentTimeMillis, (now) => {
    const full = [...buckets].filter(([, { fullAtMillis }]) => fullAtMillis <= now)
    for (const [id] of full) buckets.delete(id)
    return full.length
  })

  return RateLimitStore.of({ lease, forgetFull })
})
