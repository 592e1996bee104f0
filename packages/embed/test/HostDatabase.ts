import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgRoles from "@surety/postgres/PgRoles"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterAll } from "vitest"

const urlOf = async <E>(layer: Layer.Layer<TestDatabase, E>): Promise<string> => {
  const scope = Effect.runSync(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
  return Redacted.value(Context.get(context, TestDatabase).url)
}

/** Returns the url of an empty PostgreSQL database, dropped when the file's tests are done. */
export const hostDatabase = (): Promise<string> => urlOf(RunDatabase.layer)

/**
 * Migrates the database, and creates a serving role that owns none of Surety's tables but may create tables in
 * `public`.
 */
const prepare = Effect.gen(function* () {
  yield* Effect.scoped(Layer.build(PgMigrations.layer))
  const role = yield* RunDatabase.makeServingRole
  yield* PgRoles.grant(role)
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe(`grant create on schema public to ${role}`)
})

const migrated = RunDatabase.layerFrom("hosted", prepare)

/** Returns the url of a migrated database. Its user owns Surety's tables and is a superuser. */
export const ownedDatabase = (): Promise<string> => urlOf(migrated)

export const asServing = (url: string): string => Redacted.value(RunDatabase.asServing(Redacted.make(url)))

export const migratedDatabase = async (): Promise<string> => asServing(await ownedDatabase())
