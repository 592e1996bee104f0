import { Cache, Context, Duration, Effect, Exit, Layer, type Option } from "effect"
import type { StoreError } from "../StoreError.js"
import type { ApiKeyHash } from "./ApiKey.js"
import { ApiKeyStore, type KeyHolder } from "./ApiKeyStore.js"

/**
 * How long a key's look-up is remembered in this process: what a revocation, or a change of a merchant's status, made
 * in another process takes at most to be seen here. The contract allows 5 seconds.
 */
export const rememberedFor = Duration.seconds(3)

const capacity = 10_000

/** The look-ups of keys, remembered for a moment so that a request does not cost one. */
export class KeyHolders extends Context.Service<
  KeyHolders,
  {
    readonly find: (hash: ApiKeyHash) => Effect.Effect<Option.Option<KeyHolder>, StoreError>
    /** What was changed in this process is seen in it at once. */
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
