import { type Cause, Clock, Deferred, Duration, Effect, Exit, type Fiber, FiberSet, Layer, Schedule } from "effect"
import * as Held from "./HeldTokens.js"
import * as OwnBuckets from "./OwnBuckets.js"
import type { RateLimit } from "./RateLimit.js"
import { RateLimiter, type RateVerdict } from "./RateLimiter.js"
import { RateLimitStore } from "./RateLimitStore.js"
import type * as TokenBucket from "./TokenBucket.js"

/** Timeout for leasing tokens from the store, after which this process falls back to its own buckets. */
export const patience = Duration.seconds(1)

/** How long this process uses only its own buckets before it tries the shared ones again. */
export const aloneFor = Duration.seconds(1)

const tidyEvery = Duration.seconds(10)
const forgetEvery = Duration.minutes(1)

/** A client's bucket, as known to this process. */
interface Client {
  readonly held: Held.HeldTokens
  /** Number of requests waiting for a lease. */
  waiting: number
  /**
   * Number of requests that were interrupted while they waited for the pending lease. They still count towards the
   * limit.
   */
  interrupted: number
  /** Completes when the pending token request to the store ends. Undefined if none is pending. */
  lease: Deferred.Deferred<void> | undefined
}

/** State while the store fails or does not respond. This process then uses its own buckets. */
interface Outage {
  askAgainAtMillis: number
}

const millisOf = (fiber: Fiber.Fiber<unknown, unknown>): number => fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()

/**
 * Enforces the shared buckets of `RateLimitStore` without a call per request. It leases tokens in portions, spends them
 * locally, and usually leases more before they run out.
 *
 * While the store responds, every allowed request uses a token of the shared bucket. In any period, all processes
 * together therefore allow at most `burst`, plus the refill, plus the tokens already held. Each process holds at most
 * `mostHeld` unused tokens: a twentieth of the burst, but at least one. If a process crashes, its tokens are lost. A
 * request that is interrupted while it waits for a lease still takes a token.
 *
 * Once the bucket and this process have no tokens left, requests are rejected for a while without calling the store. If
 * the store fails, each process enforces the same limits with its own buckets, and retries the store after `aloneFor`.
 * Until the store responds again, `peek` also uses those buckets.
 */
export const layer: Layer.Layer<RateLimiter, never, RateLimitStore> = Layer.effect(
  RateLimiter,
  Effect.gen(function* () {
    const store = yield* RateLimitStore
    const run = yield* FiberSet.makeRuntime()
    const clients = new Map<string, Client>()
    // Kept after an outage. Otherwise, an intermittently failing store would repeatedly give each client a full bucket.
    const ownBuckets = OwnBuckets.make()
    let outage: Outage | undefined

    const clientOf = (limit: RateLimit, key: string): Client => {
      const id = OwnBuckets.bucketId(limit, key)
      let client = clients.get(id)
      if (client === undefined) {
        client = { held: Held.none(limit, key), waiting: 0, interrupted: 0, lease: undefined }
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
      outage = { askAgainAtMillis }
      return Effect.logWarning("Shared rate limits unavailable; this process applies its own", cause)
    }

    /** Counts requests that were interrupted before they could take their tokens. */
    const countLeft = ({ held }: Client, count: number, nowMillis: number): void => {
      if (outage === undefined) Held.spendLeft(held, count)
      else for (let left = 0; left < count; left += 1) ownBuckets.take(held.limit, held.key, nowMillis)
    }

    const settle = (
      { held }: Client,
      needed: number,
      exit: Exit.Exit<TokenBucket.Portion, unknown>
    ): Effect.Effect<void> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (Exit.isFailure(exit)) return beAlone(exit.cause, now)
        Held.receive(held, exit.value, needed, now)
        if (outage === undefined) return Effect.void
        outage = undefined
        return Effect.logInfo("Shared rate limits available again")
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
            Effect.map(Clock.currentTimeMillis, (now) => {
              countLeft(client, client.interrupted, now)
              client.interrupted = 0
              client.lease = undefined
              Deferred.doneUnsafe(lease, Exit.void)
            })
          )
        )
      )
      return lease
    }

    const takeAlone = (alone: Outage, client: Client, nowMillis: number): RateVerdict => {
      const { key, limit } = client.held
      if (nowMillis >= alone.askAgainAtMillis) {
        alone.askAgainAtMillis = nowMillis + Duration.toMillis(aloneFor)
        ask(client)
      }
      return ownBuckets.take(limit, key, nowMillis)
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

    const takeAfterLease = (client: Client): Effect.Effect<RateVerdict> =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          client.waiting += 1
          return ask(client)
        }),
        Deferred.await,
        (lease, exit) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            client.waiting -= 1
            if (Exit.isSuccess(exit)) return
            if (client.lease === lease) client.interrupted += 1
            else countLeft(client, 1, now)
          })
      ).pipe(Effect.andThen(Effect.suspend(() => take(client.held.limit, client.held.key))))

    const peekShared = (limit: RateLimit, client: Client | undefined, nowMillis: number): RateVerdict => {
      const held = client?.held
      return held !== undefined && Held.isEmpty(held, nowMillis)
        ? Held.refused(held, nowMillis)
        : { limit, isAllowed: true, remaining: held?.tokens ?? limit.burst, resetMillis: 0 }
    }

    /**
     * Returns true if the requests that wait for a lease may take all tokens available to the client. `peek` then
     * rejects the request. Otherwise, with a slow store, far too many requests would pass before the first is counted.
     */
    const isClaimed = ({ held, interrupted, waiting }: Client, ownRemaining: number, nowMillis: number): boolean =>
      waiting + interrupted >= Math.max(1, outage === undefined ? Held.mostLeft(held, nowMillis) : ownRemaining)

    const peek: RateLimiter["Service"]["peek"] = (limit, key) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const client = clients.get(OwnBuckets.bucketId(limit, key))
        const seen = outage === undefined ? peekShared(limit, client, now) : ownBuckets.peek(limit, key, now)
        return seen.isAllowed && client !== undefined && isClaimed(client, seen.remaining, now)
          ? { limit, isAllowed: false, remaining: 0, resetMillis: Duration.toMillis(patience) }
          : seen
      })

    const tidy = Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [id, { held, lease, waiting }] of clients) {
        if (lease === undefined && waiting === 0 && Held.isForgettable(held, now)) clients.delete(id)
      }
      ownBuckets.forgetFull(now)
    })
    const forgetFull = Effect.ignoreCause(store.forgetFull)
    yield* Effect.forkScoped(Effect.schedule(tidy, Schedule.spaced(tidyEvery)))
    yield* Effect.forkScoped(Effect.schedule(forgetFull, Schedule.jittered(Schedule.spaced(forgetEvery))))

    return RateLimiter.of({ take, peek })
  })
)
