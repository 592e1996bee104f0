import { type Cause, Clock, Deferred, Duration, Effect, Exit, type Fiber, FiberSet, Layer, Schedule } from "effect"
import * as Held from "./HeldTokens.js"
import type { RateLimit } from "./RateLimit.js"
import { RateLimiter, type RateVerdict } from "./RateLimiter.js"
import { RateLimitStore } from "./RateLimitStore.js"
import * as TokenBucket from "./TokenBucket.js"

/** How long requests wait for the shared buckets; after that this process decides alone. */
export const patience = Duration.seconds(1)

/** How long this process decides alone before it asks the shared buckets again. */
export const aloneFor = Duration.seconds(1)

const tidyEvery = Duration.seconds(10)
const forgetEvery = Duration.minutes(1)

/** A bucket as this process knows it. */
interface Client {
  readonly held: Held.HeldTokens
  /** Requests that wait for a lease. */
  waiting: number
  /** Done when the lease that is under way has come. */
  lease: Deferred.Deferred<void> | undefined
}

/** The shared buckets cannot be asked: until they can, each bucket is this process's own, full at the start. */
interface Outage {
  askAgainAtMillis: number
  readonly buckets: Map<string, TokenBucket.TokenBucket>
}

const millisOf = (fiber: Fiber.Fiber<unknown, unknown>): number => fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()

/**
 * Lets through what the shared buckets of `RateLimitStore` allow, without asking them for each request: tokens are
 * leased in portions, spent here, and asked for again before they run out.
 *
 * Every request that passes has a token from the shared bucket, so all processes together let through no more than
 * `burst` and what has come since the bucket was last full. Measured from any other moment, tokens that were leased before
 * it may add to that: at most `mostHeld`, a twentieth of the burst, for each process. A process that dies loses its
 * clients as many, until they have come again.
 *
 * An empty bucket is refused from memory until a token has come. When the store fails, requests are held to the same
 * limits in each process by itself, and it is asked again after `aloneFor`.
 */
export const layer: Layer.Layer<RateLimiter, never, RateLimitStore> = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const store = yield* RateLimitStore
    const run = yield* FiberSet.makeRuntime()
    const clients = new Map<string, Client>()
    let outage: Outage | undefined

    const clientOf = (limit: RateLimit, key: string): Client => {
      const id = idOf(limit, key)
      let client = clients.get(id)
      if (client === undefined) {
        client = { held: Held.none(limit, key), waiting: 0, lease: undefined }
        clients.set(id, client)
      }
      client.held.limit = limit
      return client
    }

    const beAlone = (cause: Cause.Cause<unknown>, nowMillis: number): Effect.Effect<void> => {
      const askAgainAtMillis = nowMillis + Duration.toMillis(aloneFor)
      if (outage !== undefined) {
        outage.askAgainAtMillis = askAgainAtMillis
        return Effect.void
      }
      outage = { askAgainAtMillis, buckets: new Map() }
      return Effect.logWarning("The shared rate limits cannot be asked; this process limits by itself", cause)
    }

    const settle = (
      { held }: Client,
      needed: number,
      exit: Exit.Exit<TokenBucket.Grant, unknown>
    ): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (Exit.isFailure(exit)) return beAlone(exit.cause, now)
        Held.receive(held, exit.value, needed, now)
        if (outage === undefined) return Effect.void
        outage = undefined
        return Effect.logInfo("The shared rate limits can be asked again")
      })

    const ask = (client: Client): Deferred.Deferred<void> => {
      if (client.lease !== undefined) return client.lease
      const lease = Deferred.makeUnsafe<void>()
      const { held, waiting } = client
      client.lease = lease
      run(
        store.lease(held.limit, held.key, Held.demandOf(held, waiting)).pipe(
          Effect.timeout(patience),
          Effect.exit,
          Effect.flatMap((exit) => settle(client, waiting, exit)),
          Effect.ensuring(
            Effect.sync(() => {
              client.lease = undefined
              Deferred.doneUnsafe(lease, Exit.void)
            })
          )
        )
      )
      return lease
    }

    const takeAlone = (own: Outage, client: Client, nowMillis: number): RateVerdict => {
      const { key, limit } = client.held
      if (nowMillis >= own.askAgainAtMillis) {
        own.askAgainAtMillis = nowMillis + Duration.toMillis(aloneFor)
        ask(client)
      }
      const id = idOf(limit, key)
      const { bucket, grant } = TokenBucket.take(limit, own.buckets.get(id), nowMillis, { needed: 1, wanted: 1 })
      own.buckets.set(id, bucket)
      const isAllowed = grant.tokens > 0
      const untilFull = ((limit.burst - grant.remaining) / limit.perSecond) * 1000
      return {
        limit,
        isAllowed,
        remaining: grant.remaining,
        resetMillis: Math.ceil(isAllowed ? untilFull : grant.waitMillis)
      }
    }

    const take: RateLimiter["Service"]["take"] = (limit, key) =>
      Effect.withFiber((fiber) => {
        const now = millisOf(fiber)
        const client = clientOf(limit, key)
        if (outage !== undefined) return Effect.succeed(takeAlone(outage, client, now))
        const verdict = Held.spend(client.held, now)
        if (verdict === undefined) return takeAfterLease(client)
        if (client.lease === undefined && Held.isLow(client.held, now)) ask(client)
        return Effect.succeed(verdict)
      })

    const takeAfterLease = (client: Client): Effect.Effect<RateVerdict> => {
      client.waiting += 1
      return Deferred.await(ask(client)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            client.waiting -= 1
          })
        ),
        Effect.andThen(Effect.suspend(() => take(client.held.limit, client.held.key)))
      )
    }

    const peek: RateLimiter["Service"]["peek"] = (limit, key) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const held = clients.get(idOf(limit, key))?.held
        return held !== undefined && Held.isEmpty(held, now)
          ? Held.refused(held, now)
          : { limit, isAllowed: true, remaining: held?.tokens ?? limit.burst, resetMillis: 0 }
      })

    const tidy = Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [id, { held, lease, waiting }] of clients) {
        if (lease === undefined && waiting === 0 && Held.isForgettable(held, now)) clients.delete(id)
      }
      for (const [id, { fullAtMillis }] of outage?.buckets ?? []) if (fullAtMillis <= now) outage?.buckets.delete(id)
    })
    const forgetFull = Effect.ignoreCause(store.forgetFull)
    yield* Effect.forkScoped(Effect.schedule(tidy, Schedule.spaced(tidyEvery)))
    yield* Effect.forkScoped(Effect.schedule(forgetFull, Schedule.jittered(Schedule.spaced(forgetEvery))))

    return RateLimiter.of({ take, peek })
  })
)

const idOf = ({ name }: RateLimit, key: string): string => `${name} ${key}`
