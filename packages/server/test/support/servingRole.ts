import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { connected } from "./connected.js"
import { runSurety } from "./ServerProcess.js"

/** A role that may only serve from a database, which its owner has migrated; dropped with the scope. */
export const servingRole = Effect.fn(function* (owner: Redacted.Redacted, secretsKey: string) {
  const url = new URL(Redacted.value(owner))
  const client = yield* connected(url.href)
  // Roles are the whole server's, databases are not: other tests use the same server.
  const role = `serving_${url.pathname.slice(1, 14)}`
  yield* Effect.acquireRelease(
    Effect.promise(() => client.query(`create role ${role} login password 'serving'`)),
    () => Effect.promise(() => client.query(`drop owned by ${role} cascade; drop role ${role}`))
  )
  const environment = { DATABASE_URL: url.href, SECRETS_KEY: secretsKey, LOG_LEVEL: "warning" }
  const { code, stderr } = yield* Effect.promise(() => runSurety(["migrate", "--serve-as", role], environment))
  assert.strictEqual(code, 0, stderr)
  url.username = role
  url.password = "serving"
  return { role, url: url.href }
})
