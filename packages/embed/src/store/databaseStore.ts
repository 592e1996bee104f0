import type { PgClient } from "@effect/sql-pg/PgClient"
import { innermostMessage } from "@surety/core/innermostMessage"
import * as PgClock from "@surety/postgres/PgClock"
import * as PgEventOrder from "@surety/postgres/PgEventOrder"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { Effect, Layer } from "effect"
import { storeNotOpened, type TransactionalStore } from "./HostStore.js"

export interface DatabaseOptions {
  /** The Postgres schema that holds Surety's tables. Default: `surety`. */
  readonly schema?: string
  /** Whether opening the store runs pending migrations. Default: yes. */
  readonly migrate?: boolean
}

/** Fails unless the host has run the migrations. Then settles the order of events. */
const migratedByHost = Layer.effectDiscard(Effect.andThen(PgMigrations.readiness, PgEventOrder.settle))

/** The client of the stores and, if the database allows it, one for the readiness check alone. */
interface Clients<E> {
  readonly client: Layer.Layer<PgClient, E>
  readonly own?: Layer.Layer<PgClient, E>
}

/** The storage ports over clients of PostgreSQL, and its clock. */
export const databaseStore = <E>(
  { client, own }: Clients<E>,
  { migrate = true, schema = PgSettings.defaultPgSettings.schema }: DatabaseOptions,
  connections?: number
): TransactionalStore => {
  const readiness = own === undefined ? Layer.empty : Layer.provide(PgReadiness.layerOwn, own)
  const opened = Layer.mergeAll(PgStores.layer, readiness, migrate ? PgMigrations.layer : migratedByHost).pipe(
    Layer.provideMerge(PgClock.layer),
    Layer.provideMerge(client),
    Layer.provide(PgSettings.layer({ schema }))
  )
  const layer = Layer.effectContext(
    Effect.mapError(Layer.build(opened), (cause) => storeNotOpened(innermostMessage(cause), cause))
  )
  return connections === undefined ? { layer, schema } : { layer, schema, connections }
}
