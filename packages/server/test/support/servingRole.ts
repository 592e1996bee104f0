import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { runHere } from "./CommandHere.js"

/**
 * Migrates the owner's database, and grants the run's serving role the privileges that a server needs. Returns the
 * role, and the database's url for this role.
 */
export const servingRole = Effect.fn(function* (owner: Redacted.Redacted, secretsKey: string) {
  const role = yield* Effect.provide(RunDatabase.makeServingRole, PgClient.layer({ url: owner, maxConnections: 1 }))
  const environment = { DATABASE_URL: Redacted.value(owner), SECRETS_KEY: secretsKey, LOG_LEVEL: "warning" }
  const { code, stderr } = yield* Effect.promise(() => runHere(["migrate", "--serve-as", role], environment))
  assert.strictEqual(code, 0, stderr)
  return { role, url: Redacted.value(RunDatabase.asServing(owner)) }
})
