import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { migrations } from "@surety/postgres/PgMigrations"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import { placeEmbeddedDatabase } from "../../../postgres/test/EmbeddedDirectory.js"
import { runHere } from "../support/CommandHere.js"
import { runSurety } from "../support/ServerProcess.js"

/** Timeout in milliseconds. Some commands are separate processes, which take seconds to start on a busy machine. */
const patience = 120_000

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-missing-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => runSurety(args, { LOG_LEVEL: "warning", ...env }))

const here = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => runHere(args, { LOG_LEVEL: "warning", ...env }))

const someMerchant = "merchant_01jc0000000000000000000000"

/** Commands that only read, or that need an existing record. */
const aboutWhatIsThere = [
  ["verify"],
  ["operator", "trial-balance"],
  ["merchant", "get", someMerchant],
  ["merchant", "activate", someMerchant],
  ["key", "create", someMerchant],
  ["webhook", "register", someMerchant, "--url", "https://shop.example/"]
]

const connected = (connectionString: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

describe("A DATA_DIR without a database", () => {
  it.live(
    "is named by every command about what is there, and left as it is",
    () =>
      Effect.gen(function* () {
        const parent = yield* directory
        const mistyped = path.join(parent, "mistyped")
        for (const args of aboutWhatIsThere) {
          const { code, stderr, stdout } = yield* here(args, { DATA_DIR: mistyped })
          assert.deepStrictEqual([code, stdout], [1, ""], args.join(" "))
          assert.match(stderr, /^\S+\/mistyped has no database; check DATA_DIR\..*\n$/)
        }
        assert.isFalse(existsSync(mistyped))
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "may hold records of another program, which is no database of ours",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* directory
        const theirs = path.join(dataDir, "database")
        mkdirSync(theirs)
        const { code, stderr } = yield* here(["verify"], { DATA_DIR: dataDir })
        assert.strictEqual(code, 1)
        assert.include(stderr, `${dataDir} has no database; check DATA_DIR.`)
        assert.deepStrictEqual([readdirSync(dataDir), readdirSync(theirs)], [["database"], []])
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "lacks every migration, which are printed without making it",
    () =>
      Effect.gen(function* () {
        const mistyped = path.join(yield* directory, "new")
        const { code, stdout } = yield* here(["migrate", "--print"], { DATA_DIR: mistyped })
        assert.strictEqual(code, 0)
        for (const { id, name } of migrations.steps) assert.include(stdout, `(id, name) values (${id}, '${name}')`)
        assert.isFalse(existsSync(mistyped))
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "gets one from what makes the first record",
    () =>
      Effect.gen(function* () {
        const dataDir = path.join(yield* directory, "new")
        const { code, stderr } = yield* run(["operator", "create-consumer", "--display-name", "Ada"], {
          DATA_DIR: dataDir
        })
        assert.strictEqual(code, 0, stderr)
        assert.deepInclude(yield* run(["verify"], { DATA_DIR: dataDir }), {
          code: 0,
          stdout: "Everything adds up.\n"
        })
        // Read-only commands do not create missing keys.
        for (const key of ["operator-token", "secrets-key"]) rmSync(path.join(dataDir, key))
        assert.strictEqual((yield* run(["operator", "list-merchants"], { DATA_DIR: dataDir })).code, 0)
        assert.deepStrictEqual(readdirSync(dataDir), ["database"])
      }).pipe(Effect.scoped),
    patience
  )

  it.live("has no token for a running server either, and gets none", () =>
    Effect.gen(function* () {
      const mistyped = path.join(yield* directory, "mistyped")
      const asked = ["operator", "list-merchants", "--server", "http://127.0.0.1:1"]
      const { code, stderr } = yield* here(asked, { DATA_DIR: mistyped })
      assert.strictEqual(code, 1)
      assert.include(stderr, `${path.join(mistyped, "operator-token")} has no operator token.`)
      assert.isFalse(existsSync(mistyped))
    }).pipe(Effect.scoped)
  )

  it.live("is not asked to be writable if its token cannot be read", () =>
    Effect.gen(function* () {
      const dataDir = yield* directory
      mkdirSync(path.join(dataDir, "operator-token"))
      const asked = ["operator", "list-merchants", "--server", "http://127.0.0.1:1"]
      const { code, stderr } = yield* here(asked, { DATA_DIR: dataDir })
      assert.strictEqual(code, 1)
      assert.include(stderr, `Surety cannot read the operator's token in DATA_DIR, ${dataDir}: `)
      assert.notInclude(stderr, "write to")
    }).pipe(Effect.scoped)
  )
})

describe("A DATABASE_URL without Surety's tables", () => {
  it.live(
    "is named by commands about what is there, and left as it is",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const dataDir = path.join(yield* directory, "data")
        const env = {
          DATABASE_URL: Redacted.value(url),
          DATA_DIR: dataDir,
          OPERATOR_TOKEN: "op_0123456789abcdef",
          SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
        }
        const client = yield* connected(env.DATABASE_URL)
        for (const args of [["verify"], ["key", "create", someMerchant]]) {
          const { code, stderr, stdout } = yield* here(args, env)
          assert.deepStrictEqual([code, stdout], [1, ""], args.join(" "))
          assert.match(stderr, /^Surety has no tables in the database \S+ at .*; check DATABASE_URL\..*\n$/)
          assert.notInclude(stderr, new URL(env.DATABASE_URL).password || env.SECRETS_KEY)
        }
        const { rows } = yield* Effect.promise(() => client.query("select to_regnamespace('surety') as schema"))
        assert.deepStrictEqual(rows, [{ schema: null }])
        assert.isFalse(existsSync(dataDir))
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )

  it.live(
    "or without the last of them says which to make, and is not changed",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const env = { DATABASE_URL: Redacted.value(url), DATA_DIR: yield* directory }
        assert.strictEqual((yield* here(["migrate"], env)).code, 0)
        const client = yield* connected(env.DATABASE_URL)
        const last = migrations.steps.at(-1) ?? assert.fail("there are some")
        yield* Effect.promise(() => client.query("delete from surety.surety_migrations where id = $1", [last.id]))
        const { code, stderr } = yield* here(["verify"], env)
        assert.strictEqual(code, 1)
        assert.include(stderr, `${last.id} (${last.name}). Run surety migrate.`)
        const { rows } = yield* Effect.promise(() => client.query("select max(id) as id from surety.surety_migrations"))
        assert.isBelow(rows[0].id, last.id)
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )
})

describe("A database from before the first release", () => {
  /** SQL for a database older than the first release. It records migration steps but has no functions. */
  const made = `create schema surety; create table surety.surety_migrations (id integer primary key, name text);
    insert into surety.surety_migrations values (1, 'merchants'), (26, 'list_indexes')`

  it.live(
    "in DATA_DIR is named by a start, which says how to make a new one",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* directory
        const database = path.join(dataDir, "database")
        yield* Effect.promise(() => placeEmbeddedDatabase(database))
        const client = PgliteDatabase.layer({ dataDir: database })
        yield* Effect.provide(
          Effect.gen(function* () {
            const sql = yield* PgClient
            for (const statement of made.split(";")) yield* sql.unsafe(statement)
          }),
          client
        )
        for (const args of [["serve"], ["verify"]]) {
          const { code, stderr } = yield* run(args, { DATA_DIR: dataDir, PORT: "0" })
          assert.strictEqual(code, 1, args.join(" "))
          assert.include(stderr, "predate Surety's first release and cannot be migrated.")
          assert.include(
            stderr,
            `To create a new database, move ${database} away, or set DATA_DIR to another directory.`
          )
        }
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "at DATABASE_URL is named and left as it is",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestDatabase
        const env = { DATABASE_URL: Redacted.value(url), DATA_DIR: yield* directory }
        const client = yield* connected(env.DATABASE_URL)
        yield* Effect.promise(() => client.query(made))
        const { code, stderr } = yield* here(["migrate"], env)
        assert.strictEqual(code, 1)
        assert.include(stderr, 'drop schema "surety" cascade')
        assert.notInclude(stderr, new URL(env.DATABASE_URL).password || "no password")
        const { rows } = yield* Effect.promise(() =>
          client.query("select count(*)::int as count from pg_tables where schemaname = 'surety'")
        )
        assert.deepStrictEqual(rows, [{ count: 1 }])
      }).pipe(Effect.scoped, Effect.provide(RunDatabase.layer)),
    patience
  )
})
