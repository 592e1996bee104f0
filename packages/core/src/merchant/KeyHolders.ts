import { Cache, Clock, Context, Duration, Effect, Exit, Layer, type Option } from "effect"
import type { StoreError } from "../StoreError.js"
import type { ApiKeyHash } from "./ApiKey.js"
import { ApiKeyStore, type KeyHolder } from "./ApiKeyStore.js"

/**
 * How long this process caches a key's lookup. Another process's revocation or status change takes effect here within
 * this time. The contract allows 5 seconds.
 */
export const rememberedFor = Duration.seconds(3)

const capacity = 10_000

/** Key lookups, cached briefly to spare each request one. */
export class KeyHolders extends Context.Service<
  KeyHolders,
  {
    readonly find: (hash: ApiKeyHash) => Effect.Effect<Option.Option<KeyHolder>, StoreError>
    /** Drops the cache, so that a change made in this process takes effect in it at once. */
    readonly forget: Effect.Effect<void>
  }
>()("@surety/core/merchant/KeyHolders") {}

/** What a lookup found, and when it was begun: it may be as old as that. */
interface Looked {
  readonly holder: Option.Option<KeyHolder>
  readonly begunAtMillis: number
}

const rememberedMillis = Duration.toMillis(rememberedFor)

export const layer: Layer.Layer<KeyHolders, never, ApiKeyStore> = Layer.effect(
  KeyHolders,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const look = (hash: ApiKeyHash): Effect.Effect<Looked, StoreError> =>
      Effect.flatMap(Clock.currentTimeMillis, (begunAtMillis) =>
        Effect.map(store.findByHash(hash), (holder) => ({ holder, begunAtMillis }))
      )
    const remembered = yield* Cache.makeWith(look, {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero)
    })
    // A lookup that took long is older than its entry: a key may have been revoked since it was begun.
    const find = (hash: ApiKeyHash) =>
      Effect.flatMap(Clock.currentTimeMillis, (askedAtMillis) =>
        Effect.flatMap(Cache.get(remembered, hash), (looked) =>
          looked.begunAtMillis + rememberedMillis >= askedAtMillis
            ? Effect.succeed(looked.holder)
            : Effect.andThen(
                // Of all who waited for it, only the first removes it: the others join the lookup that follows.
                Cache.invalidateWhen(remembered, hash, (one) => one === looked),
                Effect.map(Cache.get(remembered, hash), ({ holder }) => holder)
              )
        )
      )
    return KeyHolders.of({ find, forget: Cache.invalidateAll(remembered) })
  })
)
