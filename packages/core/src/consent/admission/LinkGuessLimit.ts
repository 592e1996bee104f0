import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { clientOfAddress } from "../../limit/ClientAddress.js"
import { countRefused } from "../../limit/RefusedRequests.js"
import type { StoreError } from "../../StoreError.js"

/** How many links that lead nowhere a client, as `clientOfAddress` says, may try in `window`. Many people can be one. */
export const limit = 60

export const window = Duration.minutes(1)

/** So many links that lead nowhere were tried from there that somebody seems to guess. */
export class TooManyGuesses extends Schema.TaggedError<TooManyGuesses>(
  "@surety/core/consent/admission/LinkGuessLimit/TooManyGuesses"
)("TooManyGuesses", { retryAfterSeconds: Schema.Int }) {}

/**
 * Tells guessers to stop. A token of 256 bits is not found anyway, and a link that leads somewhere is never refused: many
 * people share an address, and one of them could keep all others from deciding.
 */
export class LinkGuessLimit extends Context.Service<
  LinkGuessLimit,
  {
    /** Fails while the address is over the limit. For a link that led nowhere. */
    readonly check: (address: string) => Effect.Effect<void, TooManyGuesses | StoreError>
    /** Counts a link that led nowhere. */
    readonly count: (address: string) => Effect.Effect<void, StoreError>
  }
>()("@surety/core/consent/admission/LinkGuessLimit") {}

interface Tally {
  readonly startedAt: number
  readonly tried: number
}

/** How many clients are remembered: the memory that an attack from many of them may take. */
const remembered = 10_000

/** Counts in this process alone, in windows that begin with the first link that led nowhere. */
export const layer: Layer.Layer<LinkGuessLimit> = Layer.sync(LinkGuessLimit, () => {
  const windowMillis = Duration.toMillis(window)
  const tallies = new Map<string, Tally>()

  const tallyOf = (client: string, now: number): Tally => {
    const tally = tallies.get(client)
    return tally !== undefined && now - tally.startedAt < windowMillis ? tally : { startedAt: now, tried: 0 }
  }
  /** Windows begin in the order in which they stand here. */
  const forgetOld = (now: number): void => {
    for (const [client, { startedAt }] of tallies) {
      if (now - startedAt < windowMillis && tallies.size < remembered) return
      tallies.delete(client)
    }
  }

  return LinkGuessLimit.of({
    check: (address) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { startedAt, tried } = tallyOf(clientOfAddress(address), now)
        return tried < limit
          ? Effect.void
          : Effect.andThen(
              countRefused("consent-links"),
              new TooManyGuesses({ retryAfterSeconds: Math.max(1, Math.ceil((startedAt + windowMillis - now) / 1000)) })
            )
      }),

    count: (address) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        forgetOld(now)
        const client = clientOfAddress(address)
        const { startedAt, tried } = tallyOf(client, now)
        if (tried === 0) tallies.delete(client)
        tallies.set(client, { startedAt, tried: tried + 1 })
      })
  })
})
