import * as PgClient from "@effect/sql-pg/PgClient"
import { innermostMessage } from "@surety/core/innermostMessage"
import * as HostPool from "@surety/postgres/HostPool"
import * as PgClock from "@surety/postgres/PgClock"
import * as PgEventOrder from "@surety/postgres/PgEventOrder"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import { Effect, Layer, Redacted } from "effect"
import { storeNotOpened, type TransactionalStore } from "./HostStore.js"

/** Options of `postgresStore` that apply both to a url and to a host's pool. */
export interface DatabaseOptions {
  /** The PostgreSQL schema that holds Surety's tables. Default: `surety`. */
  readonly schema?: string
  /** Whether opening the store runs pending migrations. Default: true. */
  readonly migrate?: boolean
}

/** Fails unless the host has run the migrations. Then ensures that no new event is ordered before a stored one. */
const migratedByHost = Layer.effectDiscard(Effect.andThen(PgMigrations.readiness, PgEventOrder.settle))

/** The stores' client and, if Surety opens its own pool, a separate client for the readiness check. */
interface Clients<E> {
  readonly client: Layer.Layer<PgClient.PgClient, E>
  readonly own?: Layer.Layer<PgClient.PgClient, E>
}

/**
 * Builds the layer of the storage ports and the database clock over PostgreSQL clients. Building it runs pending
 * migrations or, with `migrate: false`, fails if any are pending.
 */
const openDatabase = <E>(
  { client, own }: Clients<E>,
  { migrate = true, schema = PgSettings.defaultPgSettings.schema }: DatabaseOptions
): TransactionalStore["layer"] => {
  const readiness = own === undefined ? Layer.empty : Layer.provide(PgReadiness.layerOwn, own)
  const opened = Layer.mergeAll(PgStores.layer, readiness, migrate ? PgMigrations.layer : migratedByHost).pipe(
    Layer.provideMerge(PgClock.layer),
    Layer.provideMerge(client),
    Layer.provide(PgSettings.layer({ schema }))
  )
  return Layer.effectContext(
    Effect.mapError(Layer.build(opened), (cause) => storeNotOpened(innermostMessage(cause), cause))
  )
}

/** Builds the layer that opens the stores on a host's own pool. */
export const openPool = (pool: HostPool.HostPool, options: DatabaseOptions): TransactionalStore["layer"] =>
  openDatabase({ client: HostPool.layer(pool) }, options)

/** Builds the layer that opens the stores on Surety's own pool, with one extra connection for the readiness check. */
export const openUrl = (url: string, maxConnections: number, options: DatabaseOptions): TransactionalStore["layer"] => {
  const opened = (connections: number) =>
    PgClient.layer({
      url: Redacted.make(url),
      applicationName: "surety",
      maxConnections: connections,
      connectTimeout: "5 seconds",
      connectionTTL: PgSettings.connectionTTL,
      startupParameters: PgSettings.startupParameters
    })
  return openDatabase({ client: opened(maxConnections), own: Layer.fresh(opened(1)) }, options)
}

/** Builds the layer that opens the stores on an embedded PostgreSQL, in the schema `surety`. */
export const openEmbedded = (options: PgliteDatabase.PgliteOptions): TransactionalStore["layer"] =>
  openDatabase({ client: PgliteDatabase.layer(options) }, {})
