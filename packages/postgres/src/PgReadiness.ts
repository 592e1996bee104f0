import * as PgClient from "@effect/sql-pg/PgClient"
import { NotReady, Readiness } from "@surety/core/Readiness"
import { Effect, Layer } from "effect"
import { readiness } from "./PgMigrations.js"

/** Ready when the database can be reached and has the tables of this release. */
export const layer: Layer.Layer<Readiness, never, PgClient.PgClient> = Layer.effect(
  Readiness,
  Effect.map(PgClient.PgClient, (sql) => ({
    check: readiness.pipe(
      Effect.provideService(PgClient.PgClient, sql),
      Effect.mapError(({ message }) => new NotReady({ detail: message }))
    )
  }))
)
