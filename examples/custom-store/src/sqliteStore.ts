import { type HostStore, StoreNotOpened } from "@surety/embed"
import { Effect, Layer } from "effect"
import * as Database from "./Database.ts"
import * as SqliteStores from "./SqliteStores.ts"

/**
 * Surety's records in a SQLite file, which is made where there is none.
 *
 * @example
 * const surety = await createSurety({ store: sqliteStore("surety.sqlite"), secretsKey })
 */
export const sqliteStore = (path: string): HostStore => ({
  layer: Layer.effectContext(
    Effect.mapError(
      Layer.build(Layer.provide(SqliteStores.layer, Database.layer(path))),
      (cause) => new StoreNotOpened({ cause, message: `Surety cannot open the database ${path}: ${cause.message}` })
    )
  )
})
