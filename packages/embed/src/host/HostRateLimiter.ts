import { callHost } from "@surety/core/host/callHost"
import { reading } from "@surety/core/host/HostAnswer"
import * as OwnBuckets from "@surety/core/limit/OwnBuckets"
import type { RateLimit } from "@surety/core/limit/RateLimit"
import { RateLimiter, type RateVerdict } from "@surety/core/limit/RateLimiter"
import { Clock, Duration, Effect, Exit, Layer, Schedule, Schema } from "effect"

/** A limit on a client's requests, as a token bucket. */
export interface HostRateLimit {
  readonly name: string
  readonly perSecond: number
  /** The bucket's capacity: the number of requests allowed in one burst. */
  readonly burst: number
}

/** The host's decision on a request. */
export interface HostRateVerdict {
  readonly isAllowed: boolean
  /** Number of requests left in the bucket. Only a hint. */
  readonly remaining: number
  /**
   * For an allowed request, the time until the full burst is available. For a rejected request, the time until a retry
   * makes sense. A rejection with 0 or less lasts for the time in which the limit's bucket gains one token.
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
   * credential. After a rejected promise, an invalid verdict, or one second without a verdict, a merchant's request
   * (`refunds` and `other`) is allowed: a broken limiter must not stop refunds. Under any other limit, Surety counts
   * the request in a bucket of this process instead: a broken limiter must not allow guesses at operators' tokens.
   */
  readonly take: (limit: HostRateLimit, key: string) => Promise<HostRateVerdict>
}

const patience = Duration.seconds(1)
const mostRemembered = 10_000

const readVerdict = reading(
  Schema.Struct({ isAllowed: Schema.Boolean, remaining: Schema.Finite, resetMillis: Schema.Finite }),
  "{ isAllowed: boolean, remaining: number, resetMillis: number }",
  "ignore"
)

const tidyEvery = Duration.seconds(10)

const allowing = (limit: RateLimit): RateVerdict => ({ limit, isAllowed: true, remaining: limit.burst, resetMillis: 0 })

const refusing = (limit: RateLimit, resetMillis: number): RateVerdict => ({
  limit,
  isAllowed: false,
  remaining: 0,
  resetMillis
})

/**
 * Layer of `RateLimiter` that asks the host's limiter. If that call fails, requests under the limits named in `passing`
 * pass. Under any other limit, a request whose call fails or is interrupted counts in a bucket of this process.
 *
 * `peek` does not ask the limiter. It rejects a client whose last rejection still applies. It also rejects a client
 * whose bucket in this process is empty or fully claimed by requests without a verdict. The layer remembers up to
 * 10,000 rejections, each until its `resetMillis` has passed. A further rejection replaces the one that ends first.
 */
export const layer = (limiter: HostRateLimiter, passing: ReadonlySet<string>): Layer.Layer<RateLimiter> =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const refused = new Map<string, number>()
      const ownBuckets = OwnBuckets.make()
      /** Number of requests without a verdict, by limit and client. */
      const undecided = new Map<string, number>()

      /** Forgets ended rejections and, if too many remain, the earliest to end. */
      const makeRoom = (now: number): void => {
        let first: { readonly id: string; readonly end: number } | undefined
        for (const [id, end] of refused) {
          if (end <= now) refused.delete(id)
          else if (first === undefined || end < first.end) first = { id, end }
        }
        if (refused.size >= mostRemembered && first !== undefined) refused.delete(first.id)
      }

      const remember = (id: string, until: number, now: number): void => {
        if (refused.size >= mostRemembered && !refused.has(id)) makeRoom(now)
        refused.set(id, until)
      }

      const ask = (limit: RateLimit, key: string, consequence: string) =>
        callHost(
          {
            part: "rateLimiter",
            operation: "take",
            read: readVerdict,
            timeout: patience,
            unavailable: (cause) => cause,
            consequence,
            given: () => key.split(" "),
            about: { limit: limit.name }
          },
          () => Effect.tryPromise({ try: async () => limiter.take(limit, key), catch: (cause) => cause })
        ).pipe(
          Effect.flatMap((told) =>
            Effect.map(Clock.currentTimeMillis, (now): RateVerdict => {
              const atLeast = told.isAllowed || told.resetMillis > 0 ? 0 : Math.ceil(1000 / limit.perSecond)
              const resetMillis = Math.max(atLeast, told.resetMillis)
              if (!told.isAllowed) remember(OwnBuckets.bucketId(limit, key), now + resetMillis, now)
              const remaining = Math.max(0, Math.floor(told.remaining))
              return { limit, isAllowed: told.isAllowed, remaining, resetMillis }
            })
          )
        )

      const takeOwn = (limit: RateLimit, key: string): Effect.Effect<RateVerdict> =>
        Effect.map(Clock.currentTimeMillis, (now) => ownBuckets.take(limit, key, now))

      const countUndecided = (id: string, by: 1 | -1): void => {
        const count = (undecided.get(id) ?? 0) + by
        if (count > 0) undecided.set(id, count)
        else undecided.delete(id)
      }

      const takeCounted = (limit: RateLimit, key: string): Effect.Effect<RateVerdict> => {
        const id = OwnBuckets.bucketId(limit, key)
        return Effect.acquireUseRelease(
          Effect.sync(() => countUndecided(id, 1)),
          () => Effect.catch(ask(limit, key, "this process limits on its own"), () => takeOwn(limit, key)),
          (_, exit) =>
            Effect.andThen(
              Exit.isSuccess(exit) ? Effect.void : takeOwn(limit, key),
              Effect.sync(() => countUndecided(id, -1))
            )
        )
      }

      const take: RateLimiter["Service"]["take"] = (limit, key) =>
        passing.has(limit.name)
          ? Effect.catch(ask(limit, key, "the request passes"), () => Effect.succeed(allowing(limit)))
          : takeCounted(limit, key)

      const peek: RateLimiter["Service"]["peek"] = (limit, key) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const id = OwnBuckets.bucketId(limit, key)
          const refusedMillis = (refused.get(id) ?? now) - now
          if (refusedMillis > 0) return refusing(limit, refusedMillis)
          const own = ownBuckets.peek(limit, key, now)
          if (!own.isAllowed) return own
          return own.remaining > (undecided.get(id) ?? 0) ? own : refusing(limit, Duration.toMillis(patience))
        })

      const tidy = Effect.map(Clock.currentTimeMillis, ownBuckets.forgetFull)
      yield* Effect.forkScoped(Effect.schedule(tidy, Schedule.spaced(tidyEvery)))

      return RateLimiter.of({ take, peek })
    })
  )
