import * as PgClient from "@effect/sql-pg/PgClient"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as Alone from "@surety/testing/Alone"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as Past from "@surety/testing/Past"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"
import * as EmbeddedMemory from "./EmbeddedMemory.js"
import * as MigratedDatabase from "./MigratedDatabase.js"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 16 })))

/** A client of an empty database of its own on this run's PostgreSQL. */
export const postgresClient = Layer.provideMerge(client, RunDatabase.layer)

const migratedClient = Layer.provideMerge(client, MigratedDatabase.layer)

/**
 * A client with the rights of `PgRoles.grant` alone, of a migrated database of its own.
 */
const servingClient = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    yield* Effect.flatMap(RunDatabase.makeServingRole, PgRoles.grant).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
    )
    return PgClient.layer({ url: RunDatabase.asServing(url), maxConnections: 16 })
  })
).pipe(Layer.provideMerge(MigratedDatabase.layer))

/** The stores as a role that may only serve, over tables that their owner has made. */
export const serving = Layer.suspend(() => Layer.provideMerge(storesWith({}), servingClient))

/** A client of an embedded database of its own. */
export const pgliteClient = EmbeddedMemory.client

/** Longer than any test of the stores waits, so that a delay on a busy machine does not look like a lost database. */
export const patience = { operationTimeoutMillis: 60_000 }

const storesWith = (settings: Partial<PgSettings.PgSettings>) =>
  Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer, Alone.layer).pipe(
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provide(PgSettings.layer({ ...patience, ...settings }))
  )

/** The stores over tables that they migrate themselves. */
export const stores = storesWith({})

/** The stores over migrated tables in the run's PostgreSQL, with some of their settings replaced. */
export const postgresWith = (settings: Partial<PgSettings.PgSettings>) =>
  Layer.provideMerge(storesWith(settings), migratedClient)

/** The stores over migrated tables in the run's PostgreSQL. */
export const postgres = postgresWith({})

/** The stores over migrated tables in an embedded database. */
export const pglite = Layer.provideMerge(storesWith({}), pgliteClient)
