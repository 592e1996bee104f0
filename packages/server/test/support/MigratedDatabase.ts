import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"

/** Creates the tables as their owner, and grants the run's serving role the privileges that a server needs. */
export const prepare = Effect.gen(function* () {
  yield* Effect.scoped(Layer.build(PgMigrations.layer))
  yield* PgRoles.grant(yield* RunDatabase.makeServingRole)
})

/** A new migrated database on this run's PostgreSQL, prepared for the serving role. It is dropped with the layer. */
export const layer = RunDatabase.layerFrom("served", prepare)
