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

/** Client of a new, empty database on this run's PostgreSQL. */
export const postgresClient = Layer.provideMerge(client, RunDatabase.layer)

const migratedClient = Layer.provideMerge(client, MigratedDatabase.layer)

const servingClient = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    yield* Effect.flatMap(RunDatabase.makeServingRole, PgRoles.grant).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
    )
    return PgClient.layer({ url: RunDatabase.asServing(url), maxConnections: 16 })
  })
).pipe(Layer.provideMerge(MigratedDatabase.layer))

/** Stores that connect with only the privileges of `PgRoles.grant`. Another role created the tables. */
export const serving = Layer.suspend(() => Layer.provideMerge(storesWith({}), servingClient))

export const pgliteClient = EmbeddedMemory.client

/** Settings with a long operation timeout, so that a delay on a busy machine does not look like an outage. */
export const patience = { operationTimeoutMillis: 60_000 }

const storesWith = (settings: Partial<PgSettings.PgSettings>) =>
  Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer, Alone.layer).pipe(
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provide(PgSettings.layer({ ...patience, ...settings }))
  )

/** Stores that migrate the database of the given client. */
export const stores = storesWith({})

export const postgresWith = (settings: Partial<PgSettings.PgSettings>) =>
  Layer.provideMerge(storesWith(settings), migratedClient)

export const postgres = postgresWith({})

export const pglite = Layer.provideMerge(storesWith({}), pgliteClient)
