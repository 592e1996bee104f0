import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { TestPostgres } from "./TestPostgres.js"

/** An empty PostgreSQL database of its own: the connection url of its owner, a superuser. */
export class TestDatabase extends Context.Service<
  TestDatabase,
  {
    readonly url: Redacted.Redacted
  }
>()("@surety/testing/machine/TestDatabase") {}

/** A statement of its own connection: it is needed twice in a database's life, and a pool would hold it in between. */
const execute = (serverUrl: Redacted.Redacted, statement: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(statement)
  }).pipe(Effect.provide(PgClient.layer({ url: serverUrl, maxConnections: 1 })))

const withDatabase = (serverUrl: Redacted.Redacted, name: string): Redacted.Redacted => {
  const url = new URL(Redacted.value(serverUrl))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/**
 * Creates an empty database on a server and drops it with the scope, whoever is still connected to it by then.
 * `serverUrl` is the connection url of a user that may create databases.
 */
export const make: (serverUrl: Redacted.Redacted) => Effect.Effect<TestDatabase["Service"], SqlError, Scope.Scope> =
  Effect.fn("TestDatabase.make")(function* (serverUrl) {
    const name = `t_${randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(execute(serverUrl, `create database ${name}`), () =>
      Effect.orDie(execute(serverUrl, `drop database ${name} with (force)`))
    )
    return { url: withDatabase(serverUrl, name) }
  })

/** A database of its own on the server given. */
export const layer: Layer.Layer<TestDatabase, SqlError, TestPostgres> = Layer.effect(
  TestDatabase,
  Effect.flatMap(TestPostgres, ({ url }) => make(url))
)
