import { Cache, Clock, Context, Duration, Effect, Exit, Layer, type Option } from "effect"
import type { StoreError } from "../StoreError.js"
import type { ApiKeyHash } from "./ApiKey.js"
import { ApiKeyStore, type KeyHolder } from "./ApiKeyStore.js"

/**
 * How long this process caches a key lookup. Revocations and status changes made in other processes take effect here
 * within that time. The contract allows 5 seconds.
 */
export const rememberedFor = Duration.seconds(3)

const capacity = 10_000

/** Key lookups, cached briefly to avoid a store call for every request. */
export class KeyHolders extends Context.Service<
  KeyHolders,
  {
    readonly find: (hash: ApiKeyHash) => Effect.Effect<Option.Option<KeyHolder>, StoreError>
    /** Drops the cache, so that a change made by this process takes effect for its own requests immediately. */
    readonly forget: Effect.Effect<void>
  }
>()("@surety/core/merchant/KeyHolders") {}

/** Changes to the key since `begunAtMillis` may be missing from `holder`. */
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
    // A lookup may be slow, and the key may be revoked meanwhile. The age of an entry is therefore measured from the
    // start of its lookup.
    const find = (hash: ApiKeyHash) =>
      Effect.flatMap(Clock.currentTimeMillis, (askedAtMillis) =>
        Effect.flatMap(Cache.get(remembered, hash), (looked) =>
          looked.begunAtMillis + rememberedMillis >= askedAtMillis
            ? Effect.succeed(looked.holder)
            : Effect.andThen(
                // Only the first caller that finds a stale entry invalidates it. Other callers share the new lookup.
                Cache.invalidateWhen(remembered, hash, (one) => one === looked),
                Effect.map(Cache.get(remembered, hash), ({ holder }) => holder)
              )
        )
      )
    return KeyHolders.of({ find, forget: Cache.invalidateAll(remembered) })
  })
)
