import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { runHere } from "./CommandHere.js"

/** Prepares the run's serving role, which may serve from the owner's database once the owner has migrated it. */
export const servingRole = Effect.fn(function* (owner: Redacted.Redacted, secretsKey: string) {
  const role = yield* Effect.provide(RunDatabase.makeServingRole, PgClient.layer({ url: owner, maxConnections: 1 }))
  const environment = { DATABASE_URL: Redacted.value(owner), SECRETS_KEY: secretsKey, LOG_LEVEL: "warning" }
  const { code, stderr } = yield* Effect.promise(() => runHere(["migrate", "--serve-as", role], environment))
  assert.strictEqual(code, 0, stderr)
  return { role, url: Redacted.value(RunDatabase.asServing(owner)) }
})
