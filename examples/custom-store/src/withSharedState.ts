import type { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import type { RateLimitStore } from "@surety/core/limit/RateLimitStore"
import { type HostStore, StoreNotOpened } from "@surety/embed/effect"
import { Effect, Layer } from "effect"
import * as Database from "./Database.ts"
import * as SqliteCodeChallengeStore from "./SqliteCodeChallengeStore.ts"
import * as SqliteRateLimitStore from "./SqliteRateLimitStore.ts"

const own = (path: string): Layer.Layer<RateLimitStore | CodeChallengeStore, StoreNotOpened> =>
  Layer.effectContext(
    Layer.mergeAll(SqliteRateLimitStore.layer, SqliteCodeChallengeStore.layer).pipe(
      Layer.provide(Database.layer(path)),
      Layer.build,
      Effect.mapError((cause) => new StoreNotOpened({ cause, message: `Surety cannot open ${path}` }))
    )
  )

/**
 * Returns `store` with its rate limits and one-time codes stored in the SQLite file at `path` instead.
 *
 * @example
 * const store = withSharedState(postgresStore({ pool }), "/var/lib/shop/surety.sqlite")
 * const surety = await createSurety({ store, secretsKey })
 */
export const withSharedState = (store: HostStore, path: string): HostStore => ({
  ...store,
  layer: Layer.merge(store.layer, own(path))
})
