import * as PgClient from "@effect/sql-pg/PgClient"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as Alone from "@surety/testing/Alone"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as Past from "@surety/testing/Past"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"
import * as HostOfPool from "../connection/HostOfPool.js"
import { patience } from "../TestStores.js"

export const partitionAll = Effect.gen(function* () {
  const partitions = yield* PgPartitions.make
  for (const table of PgPartitions.partitionedTables) yield* partitions.partition(table)
})

const database = RunDatabase.layerFrom(
  "partitioned",
  Effect.scoped(Effect.andThen(Layer.build(PgMigrations.layer), partitionAll))
)

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 16 })))

const storesOver = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer, Alone.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provide(PgSettings.layer(patience))
)

export const stores = storesOver.pipe(Layer.provideMerge(client), Layer.provideMerge(database))

const servedDatabase = Layer.effect(
  TestDatabase,
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    yield* Effect.flatMap(RunDatabase.makeServingRole, PgRoles.grant).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 1 }))
    )
    return { url: RunDatabase.asServing(url) }
  })
).pipe(Layer.provide(database))

/** Like `stores`, over the pool of a host that connects as the serving role. */
export const storesOfHost = storesOver.pipe(
  Layer.provideMerge(Layer.provide(HostOfPool.client, HostOfPool.layer)),
  Layer.provideMerge(servedDatabase)
)

export const lackedRights = PgRoles.lackedRights
