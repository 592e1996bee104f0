import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, Redacted } from "effect"
import { runHere } from "../support/CommandHere.js"

const database = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 }))).pipe(
  Layer.provideMerge(RunDatabase.layer)
)

it.live("a database that reads backslashes as escapes is migrated like any other", () =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const sql = yield* PgClient.PgClient
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    yield* sql.unsafe(`alter database "${name}" set standard_conforming_strings = off`)
    const settings = { DATABASE_URL: Redacted.value(url), SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") }
    const migrated = yield* Effect.promise(() => runHere(["migrate"], settings))
    assert.strictEqual(migrated.stderr, "")
    assert.strictEqual(migrated.code, 0)
  }).pipe(Effect.provide(database))
)
