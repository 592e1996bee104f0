import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"

/** Makes the tables as their owner, and lets the run's serving role serve. */
export const prepare = Effect.gen(function* () {
  yield* Effect.scoped(Layer.build(PgMigrations.layer))
  yield* PgRoles.grant(yield* RunDatabase.makeServingRole)
})

/** A migrated database of its own on this run's PostgreSQL, from which the serving role may serve; dropped with the layer. */
export const layer = RunDatabase.layerFrom("served", prepare)
