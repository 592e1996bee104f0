import { Cache, Context, Duration, Effect, Exit, Layer, type Option } from "effect"
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

export const layer: Layer.Layer<KeyHolders, never, ApiKeyStore> = Layer.effect(
  KeyHolders,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const remembered = yield* Cache.makeWith((hash: ApiKeyHash) => store.findByHash(hash), {
      capacity,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? rememberedFor : Duration.zero)
    })
    return KeyHolders.of({
      find: (hash) => Cache.get(remembered, hash),
      forget: Cache.invalidateAll(remembered)
    })
  })
)
