import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { TestPostgres } from "./TestPostgres.js"

/** A PostgreSQL database for tests: the connection url of its owner. */
export class TestDatabase extends Context.Service<
  TestDatabase,
  {
    readonly url: Redacted.Redacted
  }
>()("@surety/testing/machine/TestDatabase") {}

/**
 * Runs one statement on its own connection. A test database needs only two statements, and a pool would stay open
 * between them.
 */
const execute = (serverUrl: Redacted.Redacted, statement: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(statement)
  }).pipe(Effect.provide(PgClient.layer({ url: serverUrl, maxConnections: 1 })))

/**
 * SQL option that copies a database's files directly. A block-by-block copy through the WAL and the buffers takes twice
 * the CPU time. A file copy also keeps the catalog cache, which the first connection would otherwise build.
 */
const byFile = "strategy file_copy"

const isMade = Effect.fnUntraced(function* (sql: PgClient.PgClient, name: string) {
  return (yield* sql`select 1 from pg_database where datname = ${name}`).length > 0
})

const withDatabase = (serverUrl: Redacted.Redacted, name: string): Redacted.Redacted => {
  const url = new URL(Redacted.value(serverUrl))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/**
 * Creates an empty database on a server and drops it with the scope, even while clients are connected. `serverUrl` is
 * the connection url of a user with permission to create databases.
 */
export const make: (serverUrl: Redacted.Redacted) => Effect.Effect<TestDatabase["Service"], SqlError, Scope.Scope> =
  Effect.fn("TestDatabase.make")(function* (serverUrl) {
    const name = `t_${randomUUID().replaceAll("-", "")}`
    yield* Effect.acquireRelease(execute(serverUrl, `create database ${name} ${byFile}`), () =>
      Effect.orDie(execute(serverUrl, `drop database ${name} with (force)`))
    )
    return { url: withDatabase(serverUrl, name) }
  })

/**
 * Like `make`, but copies the database `template`. If the template is missing, runs `prepare` on a draft database and
 * then renames the draft to `template`. Of several concurrent processes, one prepares and the others wait. If `prepare`
 * fails, the template stays missing. `template` is not escaped in SQL, so it must not come from input.
 */
export const makeFrom = Effect.fn("TestDatabase.makeFrom")(function* <E>(
  serverUrl: Redacted.Redacted,
  template: string,
  prepare: Effect.Effect<unknown, E, PgClient.PgClient>
) {
  const name = `t_${randomUUID().replaceAll("-", "")}`
  const draft = `${template}_draft`
  const prepared = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    if (yield* isMade(sql, template)) return
    // The lock is held until the connection closes, so other processes wait for the template.
    yield* sql`select pg_advisory_lock(hashtext(${template}))`
    if (yield* isMade(sql, template)) return
    yield* sql.unsafe(`drop database if exists ${draft} with (force)`)
    yield* sql.unsafe(`create database ${draft} ${byFile}`)
    yield* Effect.provide(prepare, PgClient.layer({ url: withDatabase(serverUrl, draft), maxConnections: 1 }))
    yield* sql.unsafe(`alter database ${draft} rename to ${template}`)
  }).pipe(Effect.provide(PgClient.layer({ url: serverUrl, maxConnections: 1 })))
  yield* prepared
  yield* Effect.acquireRelease(execute(serverUrl, `create database ${name} template ${template} ${byFile}`), () =>
    Effect.orDie(execute(serverUrl, `drop database ${name} with (force)`))
  )
  return { url: withDatabase(serverUrl, name) }
})

/** Layer that provides a new database on the `TestPostgres` server. */
export const layer: Layer.Layer<TestDatabase, SqlError, TestPostgres> = Layer.effect(
  TestDatabase,
  Effect.flatMap(TestPostgres, ({ url }) => make(url))
)
