import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as HostPool from "@surety/postgres/HostPool"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { Pool } from "pg"
import * as TestStores from "../TestStores.js"

const hostPool = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => new Pool({ connectionString: Redacted.value(url) })),
      (opened) => Effect.promise(() => opened.end())
    )
    return HostPool.layer(pool)
  })
).pipe(Layer.provide(RunDatabase.layer))

for (const [road, layer] of [
  ["a server", TestStores.postgresClient],
  ["the embedded database", TestStores.pgliteClient],
  ["a host's pool", hostPool]
] as const) {
  it.layer(layer, { excludeTestServices: true })(`a commit on ${road}`, (it) => {
    it.effect("that PostgreSQL answers with ROLLBACK has failed", () =>
      Effect.gen(function* () {
        const sql = yield* PgClient
        const work = Effect.andThen(sql`select 1`, Effect.ignore(sql`select 1 / 0`))
        const exit = yield* Effect.exit(sql.withTransaction(work))
        if (Exit.isSuccess(exit)) return assert.fail("told as committed")
        assert.match(Cause.pretty(exit.cause), /COMMIT rolled back an aborted transaction/)
      })
    )
  })
}
