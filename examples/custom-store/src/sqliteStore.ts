import type { StoreError } from "@surety/core/StoreError"
import { type HostStore, StoreNotOpened } from "@surety/embed"
import { Effect, Layer } from "effect"
import * as Database from "./Database.ts"
import * as SqliteStores from "./SqliteStores.ts"

/** What SQLite says, such as `unable to open database file`. */
const reasonOf = ({ message, reason: { cause } }: StoreError): string =>
  cause instanceof Error ? cause.message : message

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
      (cause) => new StoreNotOpened({ cause, message: `Surety cannot open the database ${path}: ${reasonOf(cause)}` })
    )
  )
})
