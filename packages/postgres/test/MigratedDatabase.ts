import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"

/** A new migrated database on this run's PostgreSQL, dropped with the layer. */
export const layer = RunDatabase.layerFrom("surety", Effect.scoped(Layer.build(PgMigrations.layer)))
