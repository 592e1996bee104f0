import * as PgClient from "@effect/sql-pg/PgClient"
import * as TestCitus from "@surety/testing/machine/TestCitus"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer } from "effect"
import * as TestStores from "../TestStores.js"

/** Time limit for starting three servers and running the migrations. */
export const startMillis = 240_000

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 16 }))).pipe(
  Layer.provideMerge(TestCitus.layer())
)

/** Stores over migrated tables in a distributed schema, connected through the coordinator. */
export const layer = Layer.provideMerge(TestStores.stores, client)
