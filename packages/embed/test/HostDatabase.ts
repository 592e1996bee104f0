import * as PgMigrations from "@surety/postgres/PgMigrations"
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

/** The url of an empty PostgreSQL database, dropped when the file's tests are done. */
export const hostDatabase = (): Promise<string> => urlOf(RunDatabase.layer)

const migrated = RunDatabase.layerFrom("surety", Effect.scoped(Layer.build(PgMigrations.layer)))

/** The same with Surety's tables, as a host has it from its second start on. */
export const migratedDatabase = (): Promise<string> => urlOf(migrated)
