import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter, type RateVerdict } from "@surety/core/limit/RateLimiter"
import { Clock, Effect, Layer } from "effect"

/** A token bucket's measures, and its name. */
export interface HostRateLimit {
  readonly name: string
  readonly perSecond: number
  /** How many may come at once after a pause. */
  readonly burst: number
}

/** What the host's limiter says of a request. */
export interface HostRateVerdict {
  readonly isAllowed: boolean
  /** How many may come now, as far as is known. */
  readonly remaining: number
  /** Of one that passes: until all may come again. Of one that does not: until it is worth another try. */
  readonly resetMillis: number
}

/** A rate limiter of the host's. Without it Surety counts in its own store, for all processes together. */
export interface HostRateLimiter {
  /**
   * Counts a request of the client that `key` names: a merchant and environment, or an address. A rejected promise, or
   * none within a second, lets the request pass: a limiter that is down must not stop refunds.
   */
  readonly take: (limit: HostRateLimit, key: string) => Promise<HostRateVerdict>
}

const patience = "1 second"
const mostRemembered = 10_000

/** The port that stands for the host's limiter. Who was refused is remembered here until it is worth another try. */
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
        const told = yield* Effect.tryPromise(async () => limiter.take(limit, key)).pipe(Effect.timeout(patience))
        const { isAllowed, remaining, resetMillis } = told
        const now = yield* Clock.currentTimeMillis
        if (!isAllowed) remember(idOf(limit, key), now + resetMillis, now)
        const verdict: RateVerdict = { limit, isAllowed, remaining, resetMillis }
        return verdict
      },
      (taking, limit) =>
        Effect.catch(taking, () =>
          Effect.as(Effect.logWarning("The host's rate limiter did not answer; the request passes"), {
            ...{ limit, isAllowed: true },
            remaining: limit.burst,
            resetMillis: 0
          })
        )
    )

    return RateLimiter.of({
      take,
      peek: (limit, key) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const resetMillis = (refused.get(idOf(limit, key)) ?? now) - now
          return resetMillis > 0
            ? { limit, isAllowed: false, remaining: 0, resetMillis }
            : { limit, isAllowed: true, remaining: limit.burst, resetMillis: 0 }
        })
    })
  })
