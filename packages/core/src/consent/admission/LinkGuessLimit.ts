import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { clientOfAddress } from "../../limit/ClientAddress.js"
import { countRefused } from "../../limit/RefusedRequests.js"
import type { StoreError } from "../../StoreError.js"

/**
 * Maximum number of unknown links that a client (`clientOfAddress`) may try within `window`. It is high, because many
 * people may share one address.
 */
export const linkGuessLimit = 60

export const window = Duration.minutes(1)

/** Too many unknown links from this address; likely guessing. */
export class TooManyGuesses extends Schema.TaggedError<TooManyGuesses>(
  "@surety/core/consent/admission/LinkGuessLimit/TooManyGuesses"
)("TooManyGuesses", { retryAfterSeconds: Schema.Int }) {
  override get message(): string {
    return `Too many unknown links from this address; retry in ${this.retryAfterSeconds} s.`
  }
}

/**
 * Rejects further unknown links from a client that has tried too many. A link that is no longer valid counts as
 * unknown. Valid links are not checked: many people may share an address, and one of them must not stop the others from
 * deciding.
 */
export class LinkGuessLimit extends Context.Service<
  LinkGuessLimit,
  {
    /**
     * Fails once the address's client has tried `linkGuessLimit` unknown links in the window. Call it only for unknown
     * links.
     */
    readonly check: (address: string) => Effect.Effect<void, TooManyGuesses | StoreError>
    /** Counts an unknown link tried from the address. */
    readonly count: (address: string) => Effect.Effect<void, StoreError>
  }
>()("@surety/core/consent/admission/LinkGuessLimit") {}

interface Tally {
  readonly startedAt: number
  readonly tried: number
}

/** Maximum clients remembered, to bound memory during a distributed attack. */
const remembered = 10_000

/** Layer that counts only within this process, in windows that begin with a client's first unknown link. */
export const layer: Layer.Layer<LinkGuessLimit> = Layer.sync(LinkGuessLimit, () => {
  const windowMillis = Duration.toMillis(window)
  const tallies = new Map<string, Tally>()

  const isOver = ({ startedAt }: Tally, now: number): boolean => now - startedAt >= windowMillis
  const tallyOf = (client: string, now: number): Tally => {
    const tally = tallies.get(client)
    return tally === undefined || isOver(tally, now) ? { startedAt: now, tried: 0 } : tally
  }
  /**
   * Deletes ended windows, then the oldest remaining ones until there is room for `client`. Relies on the map being
   * ordered by window start. The order holds because an ended window is deleted before its client is counted again.
   */
  const makeRoom = (client: string, now: number): void => {
    for (const [other, tally] of tallies) {
      if (!isOver(tally, now) && (tallies.size < remembered || tallies.has(client))) return
      tallies.delete(other)
    }
  }

  return LinkGuessLimit.of({
    check: (address) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const { startedAt, tried } = tallyOf(clientOfAddress(address), now)
        return tried < linkGuessLimit
          ? Effect.void
          : Effect.andThen(
              countRefused("consent-links"),
              new TooManyGuesses({ retryAfterSeconds: Math.max(1, Math.ceil((startedAt + windowMillis - now) / 1000)) })
            )
      }),

    count: (address) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const client = clientOfAddress(address)
        makeRoom(client, now)
        const { startedAt, tried } = tallyOf(client, now)
        tallies.set(client, { startedAt, tried: tried + 1 })
      })
  })
})
