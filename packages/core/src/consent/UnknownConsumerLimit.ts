import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { StoreError } from "../StoreError.js"

/** How many unknown consumers a merchant may name in `window`, in each environment (contract 7). */
export const limit = 20

export const window = Duration.minutes(1)

/** The merchant has named so many unknown consumers that it seems to search for known ones. */
export class TooManyUnknownConsumers extends Schema.TaggedError<TooManyUnknownConsumers>(
  "@surety/core/consent/UnknownConsumerLimit/TooManyUnknownConsumers"
)("TooManyUnknownConsumers", { retryAfterSeconds: Schema.Int }) {}

/**
 * Keeps merchants from finding out who is a consumer by trying identifiers. Once the limit is passed every request is
 * refused until the window ends: refusing the unknown ones alone would tell which they are.
 */
export class UnknownConsumerLimit extends Context.Service<
  UnknownConsumerLimit,
  {
    /** Fails while the merchant is over the limit. */
    readonly check: (scope: MerchantScope) => Effect.Effect<void, TooManyUnknownConsumers | StoreError>
    /** Counts an unknown consumer that the merchant has named; fails when that was one too many. */
    readonly count: (scope: MerchantScope) => Effect.Effect<void, TooManyUnknownConsumers | StoreError>
  }
>()("@surety/core/consent/UnknownConsumerLimit") {}

interface Tally {
  readonly startedAt: number
  readonly named: number
}

const windowMillis = Duration.toMillis(window)

/** Counts in this process alone, in windows that begin with the first unknown consumer. */
export const layer: Layer.Layer<UnknownConsumerLimit> = Layer.sync(UnknownConsumerLimit, () => {
  const tallies = new Map<string, Tally>()

  const tallyOf = (key: string, now: number): Tally => {
    const tally = tallies.get(key)
    return tally !== undefined && now - tally.startedAt < windowMillis ? tally : { startedAt: now, named: 0 }
  }
  const forgetOld = (now: number): void => {
    for (const [key, { startedAt }] of tallies) if (now - startedAt >= windowMillis) tallies.delete(key)
  }
  const refuseOver = ({ named, startedAt }: Tally, now: number) =>
    named > limit
      ? Effect.fail(
          new TooManyUnknownConsumers({ retryAfterSeconds: Math.ceil((startedAt + windowMillis - now) / 1000) })
        )
      : Effect.void

  const keyOf = ({ environment, merchantId }: MerchantScope): string => `${merchantId}/${environment}`

  return UnknownConsumerLimit.of({
    check: (scope) => Effect.flatMap(Clock.currentTimeMillis, (now) => refuseOver(tallyOf(keyOf(scope), now), now)),

    count: (scope) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        forgetOld(now)
        const { named, startedAt } = tallyOf(keyOf(scope), now)
        const tally = { startedAt, named: named + 1 }
        tallies.set(keyOf(scope), tally)
        return refuseOver(tally, now)
      })
  })
})
