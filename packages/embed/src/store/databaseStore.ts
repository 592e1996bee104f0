import type { PgClient } from "@effect/sql-pg/PgClient"
import { innermostMessage } from "@surety/core/innermostMessage"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { Effect, Layer } from "effect"
import { storeNotOpened, type TransactionalStore } from "./HostStore.js"

export interface DatabaseOptions {
  /** The Postgres schema that holds Surety's tables. Default: `surety`. */
  readonly schema?: string
  /** Whether to bring the tables up to date when it is opened. Default: yes. */
  readonly migrate?: boolean
}

/** The storage ports over a client of PostgreSQL. */
export const databaseStore = <E>(
  client: Layer.Layer<PgClient, E>,
  { migrate = true, schema }: DatabaseOptions
): TransactionalStore => {
  const opened = Layer.mergeAll(PgStores.layer, PgReadiness.layer, migrate ? PgMigrations.layer : Layer.empty).pipe(
    Layer.provideMerge(client),
    Layer.provide(schema === undefined ? Layer.empty : PgSettings.layer({ schema }))
  )
  const layer = Layer.effectContext(
    Effect.mapError(Layer.build(opened), (cause) => storeNotOpened(innermostMessage(cause), cause))
  )
  return { layer }
}
