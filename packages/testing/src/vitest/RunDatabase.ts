import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inject } from "vitest"
import * as TestDatabase from "../machine/TestDatabase.js"
import { TestPostgres } from "../machine/TestPostgres.js"
import type {} from "./globalSetup.js"

/**
 * Provides this run's PostgreSQL, which `@surety/testing/vitest/globalSetup` started or found at `TEST_DATABASE_URL`.
 * Dies without that setup, so that database tests fail instead of being skipped.
 */
export const layerServer: Layer.Layer<TestPostgres> = Layer.effect(
  TestPostgres,
  Effect.suspend(() => {
    const url: string | undefined = inject("pgUrl")
    return url === undefined
      ? Effect.die(new Error("No PostgreSQL: add @surety/testing/vitest/globalSetup to Vitest's globalSetup"))
      : Effect.succeed({ url: Redacted.make(url) })
  })
)

/** Provides a new empty database on this run's PostgreSQL, dropped when the layer's scope closes. */
export const layer: Layer.Layer<TestDatabase.TestDatabase, SqlError> = Layer.provide(TestDatabase.layer, layerServer)

/**
 * Provides a new database with everything that `prepare` creates, dropped when the layer's scope closes. `prepare` runs
 * once per `name` in a test run, and each database is a copy of the result. `name` must consist of lower-case letters.
 */
export const layerFrom = <E>(
  name: string,
  prepare: Effect.Effect<unknown, E, PgClient.PgClient>
): Layer.Layer<TestDatabase.TestDatabase, SqlError | E> =>
  Layer.effect(
    TestDatabase.TestDatabase,
    Effect.flatMap(TestPostgres, ({ url }) => TestDatabase.makeFrom(url, `${inject("pgTemplates")}_${name}`, prepare))
  ).pipe(Layer.provide(layerServer))

/** Returns the name of the user who owns the run's databases. */
export const superuser = (): string => new URL(inject("pgUrl")).username

/**
 * Returns the name of the run's serving role, which has only the privileges that tests grant it. Roles belong to the
 * whole server, so a copy of a database keeps the grants to the role.
 */
export const servingRole = (): string => `${inject("pgTemplates")}_serves`

const password = (): string => `${inject("pgTemplates")}_password`

/**
 * Creates the serving role on the client's server if it is missing, and returns the role's name. A new role may log in,
 * and has no other privileges of its own.
 */
export const makeServingRole: Effect.Effect<string, SqlError, PgClient.PgClient> = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const role = servingRole()
  yield* sql.unsafe(`do $$
    begin
      create role ${role} login password '${password()}';
    exception when duplicate_object or unique_violation then null;
    end $$`)
  return role
})

export const asServing = (url: Redacted.Redacted): Redacted.Redacted => {
  const served = new URL(Redacted.value(url))
  served.username = servingRole()
  served.password = password()
  return Redacted.make(served.href)
}
