import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it, vi } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import * as Database from "../../src/Database.js"
import { parseSettings } from "../../src/settings/parseSettings.js"
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

it.live("connections from a time when the database was read-only are replaced after it", () =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const sql = yield* PgClient.PgClient
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    const settings = Result.getOrThrow(parseSettings({ DATABASE_URL: Redacted.value(url), DATABASE_CONNECTIONS: "1" }))
    yield* sql.unsafe(`alter database "${name}" set default_transaction_read_only = on`)
    const served = Context.get(yield* Layer.build(Database.layer(settings)), PgClient.PgClient)
    const modes = Effect.replicateEffect(served`show default_transaction_read_only`, 2)
    const readOnly = [{ default_transaction_read_only: "on" }]
    assert.deepStrictEqual(yield* modes, [readOnly, readOnly])
    yield* sql.unsafe(`alter database "${name}" reset default_transaction_read_only`)
    const later = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 5 * 60_000)
    const afterwards = yield* Effect.ensuring(
      modes,
      Effect.sync(() => later.mockRestore())
    )
    assert.deepStrictEqual(afterwards[1], [{ default_transaction_read_only: "off" }])
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(database)))
)
