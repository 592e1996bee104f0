import { Clock, Context, Duration, Effect, Fiber, FiberSet, Layer, Schema } from "effect"
import type { RateLimit } from "../../limit/RateLimit.js"
import { RateLimitStore } from "../../limit/RateLimitStore.js"
import { countRefused } from "../../limit/RefusedRequests.js"
import type { MerchantScope } from "../../merchant/Merchant.js"
import type { StoreError } from "../../StoreError.js"

/** Maximum data requests for unknown consumers that a merchant may make in `window`, per environment (contract 7). */
export const unknownConsumerLimit = 20

export const window = Duration.minutes(1)

/** The merchant has named too many unknown consumers; likely guessing. */
export class TooManyUnknownConsumers extends Schema.TaggedError<TooManyUnknownConsumers>(
  "@surety/core/consent/asking/UnknownConsumerLimit/TooManyUnknownConsumers"
)("TooManyUnknownConsumers", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `Too many requests for unknown consumers; retry in ${this.retryAfterSeconds} s.`
  }
}

/**
 * Stops merchants from finding consumers by guessing identifiers. Once a merchant exceeds the limit in an environment,
 * its data requests there are rejected until the clock minute ends. Rejecting only those for unknown consumers would
 * reveal which consumers exist.
 */
export class UnknownConsumerLimit extends Context.Service<
  UnknownConsumerLimit,
  {
    /** Fails while the merchant is over the limit. */
    readonly check: (scope: MerchantScope) => Effect.Effect<void, TooManyUnknownConsumers | StoreError>
    /** Counts an unknown consumer named by the merchant. Fails if the merchant is then over the limit. */
    readonly count: (scope: MerchantScope) => Effect.Effect<void, TooManyUnknownConsumers | StoreError>
  }
>()("@surety/core/consent/asking/UnknownConsumerLimit") {}

/**
 * The shared bucket for one clock minute. It has one token more than the limit, so it is empty only once the limit is
 * exceeded. It refills too slowly to regain a token within that minute.
 */
const bucket: RateLimit = { name: "unknown-consumers", perSecond: 1 / 61, burst: unknownConsumerLimit + 1 }

const windowMillis = Duration.toMillis(window)

/** How long this process trusts its last reading of the shared bucket while the merchant is within the limit. */
const believedMillis = 1_000

/** This process's knowledge of a merchant in one environment, for the current clock minute. */
interface Tally {
  isOver: boolean
  askedAt: number
}

/**
 * Layer that counts in shared buckets, one per merchant, environment and clock minute. If a merchant exceeds the limit
 * through another process, this process may notice up to `believedMillis` late.
 */
export const layer: Layer.Layer<UnknownConsumerLimit, never, RateLimitStore> = Layer.effect(
  UnknownConsumerLimit,
  Effect.gen(function* () {
    const store = yield* RateLimitStore
    // Runs outside the caller's fiber, and so outside a host's transaction. Inside that transaction, the count would
    // lock the bucket, and a failure would undo the count.
    const run = yield* FiberSet.makeRuntime()
    let minute = 0
    let tallies = new Map<string, Tally>()

    const tallyOf = (key: string, now: number): Tally => {
      if (now - minute >= windowMillis || now < minute) {
        minute = now - (now % windowMillis)
        tallies = new Map()
      }
      const tally = tallies.get(key) ?? { isOver: false, askedAt: Number.NEGATIVE_INFINITY }
      tallies.set(key, tally)
      return tally
    }

    const ask = Effect.fnUntraced(function* (key: string, tally: Tally, now: number, named: number) {
      const demand = { needed: named, wanted: named }
      const { remaining } = yield* Fiber.join(run(store.lease(bucket, `${key} ${now - (now % windowMillis)}`, demand)))
      tally.isOver ||= remaining === 0
      tally.askedAt = now
    })

    const refuseOver = ({ isOver }: Tally, now: number) =>
      isOver
        ? Effect.andThen(
            countRefused(bucket.name),
            new TooManyUnknownConsumers({ retryAfterSeconds: Math.ceil((windowMillis - (now % windowMillis)) / 1000) })
          )
        : Effect.void

    const keyOf = ({ environment, merchantId }: MerchantScope): string => `${merchantId} ${environment}`

    const check = Effect.fn("UnknownConsumerLimit.check")(function* (scope: MerchantScope) {
      const now = yield* Clock.currentTimeMillis
      const tally = tallyOf(keyOf(scope), now)
      if (!tally.isOver && now - tally.askedAt >= believedMillis) yield* ask(keyOf(scope), tally, now, 0)
      yield* refuseOver(tally, now)
    })

    const count = Effect.fn("UnknownConsumerLimit.count")(function* (scope: MerchantScope) {
      const now = yield* Clock.currentTimeMillis
      const tally = tallyOf(keyOf(scope), now)
      yield* ask(keyOf(scope), tally, now, 1)
      yield* refuseOver(tally, now)
    })

    return UnknownConsumerLimit.of({ check, count })
  })
)
