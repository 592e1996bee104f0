import { callHost } from "@surety/core/host/callHost"
import { reading } from "@surety/core/host/HostAnswer"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter, type RateVerdict } from "@surety/core/limit/RateLimiter"
import { Clock, Duration, Effect, Layer, Schema } from "effect"

/** A limit on a client's requests, as a token bucket. */
export interface HostRateLimit {
  readonly name: string
  readonly perSecond: number
  /** Number of requests allowed immediately after a pause. */
  readonly burst: number
}

/** The host's decision on a request. */
export interface HostRateVerdict {
  readonly isAllowed: boolean
  /** Number of requests left in the bucket. Only a hint. */
  readonly remaining: number
  /**
   * For an allowed request, the time until the full burst is available. For a rejected request, the time until a retry
   * makes sense.
   */
  readonly resetMillis: number
}

/**
 * A host's own rate limiter. If the host has no limiter, Surety uses token buckets in the store, shared by all
 * processes.
 */
export interface HostRateLimiter {
  /**
   * Counts a request under `key`. The key names a merchant and environment, or a client address, usually with a kind of
   * credential. After a rejected promise, an invalid verdict, or one second without a verdict, the request is allowed.
   * A broken limiter must not stop refunds.
   */
  readonly take: (limit: HostRateLimit, key: string) => Promise<HostRateVerdict>
}

const patience = Duration.seconds(1)
const mostRemembered = 10_000

/** Reads a verdict. Extra fields are ignored. */
const readVerdict = reading(
  Schema.Struct({ isAllowed: Schema.Boolean, remaining: Schema.Finite, resetMillis: Schema.Finite }),
  "{ isAllowed: boolean, remaining: number, resetMillis: number }",
  "ignore"
)

const passing = (limit: RateLimit): RateVerdict => ({ limit, isAllowed: true, remaining: limit.burst, resetMillis: 0 })

/**
 * Layer of `RateLimiter` that asks the host's limiter. `peek` does not ask the limiter: it rejects a client whose last
 * rejection still applies. The layer remembers up to 10,000 rejections, each until its `resetMillis` has passed.
 */
export const layer = (limiter: HostRateLimiter): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () => {
    const refused = new Map<string, number>()
    const idOf = (limit: RateLimit, key: string): string => `${limit.name} ${key}`

    const remember = (id: string, until: number, now: number): void => {
      if (refused.size >= mostRemembered) for (const [other, end] of refused) if (end <= now) refused.delete(other)
      if (refused.size < mostRemembered) refused.set(id, until)
    }

    const take = Effect.fnUntraced(
      function* (limit: RateLimit, key: string) {
        const told = yield* callHost(
          {
            part: "rateLimiter",
            operation: "take",
            read: readVerdict,
            timeout: patience,
            unavailable: (cause) => cause,
            consequence: "the request passes",
            given: () => key.split(" "),
            about: { limit: limit.name }
          },
          () => Effect.tryPromise({ try: async () => limiter.take(limit, key), catch: (cause) => cause })
        )
        const now = yield* Clock.currentTimeMillis
        const resetMillis = Math.max(0, told.resetMillis)
        if (!told.isAllowed) remember(idOf(limit, key), now + resetMillis, now)
        const remaining = Math.max(0, Math.floor(told.remaining))
        const verdict: RateVerdict = { limit, isAllowed: told.isAllowed, remaining, resetMillis }
        return verdict
      },
      (taking, limit) => Effect.catch(taking, () => Effect.succeed(passing(limit)))
    )

    return RateLimiter.of({
      take,
      peek: (limit, key) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const resetMillis = (refused.get(idOf(limit, key)) ?? now) - now
          return resetMillis > 0 ? { limit, isAllowed: false, remaining: 0, resetMillis } : passing(limit)
        })
    })
  })
