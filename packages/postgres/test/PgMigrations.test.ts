import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgSettings from "@surety/postgres/PgSettings"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Exit, Layer, Redacted } from "effect"
import { Client } from "pg"
import { expect } from "vitest"
import { pgliteDuplex } from "../src/connection/pgliteDuplex.js"
import * as EmbeddedDirectory from "./EmbeddedDirectory.js"
import { schemaText } from "./migrations/schemaText.js"
import * as TestStores from "./TestStores.js"

/** Runs a script of several statements unmodified, as an operator would with `psql`. */
const runByHand = (script: string) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const client = new Client({ connectionString: Redacted.value(url) })
    yield* Effect.acquireUseRelease(
      Effect.promise(() => client.connect()),
      () => Effect.promise(() => client.query(script)),
      () => Effect.promise(() => client.end())
    )
  })

const all = PgMigrations.names

/** Time limit of a test that creates three databases on a busy machine. */
const threeDatabasesMillis = 120_000

describe("PgMigrations", () => {
  it.effect("runs every step once, of four processes that start at the same time", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const process = Effect.provide(PgMigrations.run, Layer.fresh(PgClient.layer({ url })))
      const runs = yield* Effect.replicateEffect(process, 4, { concurrency: "unbounded" })
      assert.sameDeepMembers([...runs], [[...all], [], [], []])
      assert.deepStrictEqual(yield* process, [])
    }).pipe(Effect.provide(RunDatabase.layer))
  )

  it.effect("keeps everything in a schema of its own, of the name that is set, beside a host's tables", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`create table payment (id text primary key)`
      yield* sql`create table surety_migrations (id integer)`
      for (const schema of ["surety", "order"]) {
        yield* Effect.provide(PgMigrations.run, PgSettings.layer({ schema }))
      }
      const owned = yield* sql`
        select n.nspname as schema, count(*)::int as count from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('public', 'surety', 'order') and c.relkind = 'r' group by n.nspname order by n.nspname`
      const [order, host, surety] = owned
      assert.deepStrictEqual(host, { schema: "public", count: 2 })
      assert.strictEqual(order?.count, surety?.count)
      const functions = yield* sql`
        select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'public'`
      assert.lengthOf(functions, 0)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("makes everything the owner's, also if a superuser runs it: the first time, and at an upgrade", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const owner = `owner_${randomUUID().slice(0, 8)}`
      const foreign = sql`
        select c.relname as name from pg_class c
        where c.relnamespace = to_regnamespace('surety') and c.relkind in ('r', 'S') and c.relowner <> ${owner}::regrole
        union all
        select p.proname from pg_proc p
        where p.pronamespace = to_regnamespace('surety') and p.proowner <> ${owner}::regrole`
      yield* sql.unsafe(`create role ${owner}`)
      yield* sql.unsafe(`create schema surety authorization ${owner}`)
      yield* PgMigrations.run
      assert.deepStrictEqual(yield* foreign, [])
      yield* sql`drop function surety.make_partitions`
      yield* sql`delete from surety.surety_functions where name = 'make_partitions'`
      // The schema now has a different owner from the tables. The upgrade must run as the owner of the tables.
      yield* sql`alter schema surety owner to current_user`
      yield* sql.unsafe(`grant create, usage on schema surety to ${owner}`)
      assert.deepStrictEqual(yield* PgMigrations.run, ["function make_partitions"])
      assert.deepStrictEqual(yield* foreign, [])
      const [me] = yield* sql`select current_user <> ${owner} as same`
      assert.deepStrictEqual(me, { same: true })
      yield* sql.unsafe(`drop owned by ${owner} cascade`)
      yield* sql.unsafe(`drop role ${owner}`)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("makes everything the owner's, also if a superuser runs the script", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const owner = `owner_${randomUUID().slice(0, 8)}`
      yield* sql.unsafe(`create role ${owner}`)
      yield* sql.unsafe(`create schema surety authorization ${owner}`)
      yield* runByHand(PgMigrations.script("surety"))
      const foreign = yield* sql`
        select c.relname as name from pg_class c
        where c.relnamespace = to_regnamespace('surety') and c.relkind in ('r', 'S') and c.relowner <> ${owner}::regrole
        union all
        select p.proname from pg_proc p
        where p.pronamespace = to_regnamespace('surety') and p.proowner <> ${owner}::regrole`
      assert.deepStrictEqual(foreign, [])
      yield* sql.unsafe(`drop owned by ${owner} cascade`)
      yield* sql.unsafe(`drop role ${owner}`)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("refuses a database of a newer release, and says what to do", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* PgMigrations.run
      yield* sql`insert into surety.surety_migrations (id, name) values (99, 'tomorrow')`
      const error = yield* Effect.flip(PgMigrations.run)
      assert.strictEqual(error._tag, "DatabaseIsNewer")
      assert.include(error.message, "at migration 99 (tomorrow)")
      assert.strictEqual((yield* Effect.flip(PgMigrations.readiness))._tag, "DatabaseIsNewer")
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("refuses a database from before the first release, and says how to make a new one", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`create schema surety`
      yield* sql`create table surety.surety_migrations (id integer primary key, name text, applied_at timestamptz)`
      yield* sql`insert into surety.surety_migrations values (1, 'merchants', now()), (26, 'list_indexes', now())`
      const errors = [
        yield* Effect.flip(PgMigrations.run),
        yield* Effect.flip(PgMigrations.readiness),
        yield* Effect.flip(PgMigrations.pendingScript)
      ]
      for (const error of errors) {
        assert.strictEqual(error._tag, "DatabasePredatesRelease")
        assert.include(error.message, 'drop schema "surety" cascade')
      }
      const tables = yield* sql`select tablename from pg_tables where schemaname = 'surety'`
      assert.deepStrictEqual([...tables], [{ tablename: "surety_migrations" }])
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it("has its functions in the order of their names, and none with more than three parameters", () => {
    const functionNames = PgMigrations.migrations.functions.map(({ name }) => name)
    assert.deepStrictEqual(functionNames, [...functionNames].sort())
    for (const { definition, name } of PgMigrations.migrations.functions) {
      const parameters = /^create or replace function surety\.\w+\((?<list>[^)]*)\)/.exec(definition("surety"))?.groups
        ?.list
      assert.isDefined(parameters, name)
      assert.isAtMost(parameters.split(",").length, 3, name)
    }
  })

  it.effect("leaves nothing of a run of which one step fails", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`create schema surety`
      yield* sql`create table surety.event (id integer)`
      const error = yield* Effect.flip(PgMigrations.run)
      assert.strictEqual(error._tag, "MigrationFailed")
      assert.include(error.message, "Migration 3 (events) failed")
      const tables = yield* sql`select tablename from pg_tables where schemaname = 'surety'`
      assert.deepStrictEqual([...tables], [{ tablename: "event" }])
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("is ready once it is migrated, and not before", () =>
    Effect.gen(function* () {
      const before = yield* Effect.flip(PgMigrations.readiness)
      assert.strictEqual(before._tag, "DatabaseNotMigrated")
      yield* PgMigrations.run
      yield* PgMigrations.readiness
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("is not ready if a step between others is missing, and names it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* PgMigrations.run
      yield* sql`delete from surety.surety_migrations where id in (2, 5)`
      yield* sql`delete from surety.surety_functions where name = 'uuid_v7'`
      const error = yield* Effect.flip(PgMigrations.readiness)
      assert.strictEqual(error._tag, "DatabaseNotMigrated")
      assert.strictEqual(
        error.message,
        'The tables in schema "surety" lack migrations that this release needs: 2 (money), 5 (kyc), function uuid_v7. ' +
          "Run the migrations."
      )
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("is run by a user who may not make schemas, in one that was made for it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const role = `r_${(yield* sql`select replace(gen_random_uuid()::text, '-', '') as id`)[0]?.id}`
      yield* sql.unsafe(`create role ${role}`)
      yield* sql.unsafe(`create schema surety authorization ${role}`)
      const run = sql.withTransaction(Effect.andThen(sql.unsafe(`set local role ${role}`), PgMigrations.run))
      assert.deepStrictEqual(yield* run, [...all])
      yield* sql.unsafe(`drop owned by ${role}`)
      yield* sql.unsafe(`drop role ${role}`)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("prints what a database lacks as a script, which changes nothing until it is run by hand", () =>
    Effect.gen(function* () {
      const script = yield* PgMigrations.pendingScript
      assert.strictEqual(script, PgMigrations.script("surety"))
      assert.strictEqual((yield* Effect.flip(PgMigrations.readiness))._tag, "DatabaseNotMigrated")
      yield* runByHand(script)
      yield* PgMigrations.readiness
      assert.deepStrictEqual(yield* PgMigrations.run, [])
      assert.strictEqual(yield* PgMigrations.pendingScript, "")
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("has only the pending steps in the script of a database that some were run on", () =>
    Effect.gen(function* () {
      const [first, second] = PgMigrations.migrations.steps
      assert.isDefined(first)
      assert.isDefined(second)
      const whole = PgMigrations.script("surety")
      const record = `values (${first.id}, '${first.name}');\n`
      yield* runByHand(`${whole.slice(0, whole.indexOf(record))}${record}commit;`)
      const script = yield* PgMigrations.pendingScript
      assert.notInclude(script, record)
      assert.include(script, `values (${second.id}, '${second.name}');`)
      yield* runByHand(script)
      yield* PgMigrations.readiness
      const pieced = yield* schemaText("surety")
      assert.strictEqual(pieced, readFileSync(new URL("../schema.sql", import.meta.url), "utf8"))
      const again = yield* Effect.exit(runByHand(script))
      assert.isTrue(Exit.isFailure(again), "a script that was run before must not run again")
      assert.strictEqual(yield* schemaText("surety"), pieced)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("makes every function again by the script for steps that are done, also one that it replaced before", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* PgMigrations.run
      const made = yield* schemaText("surety")
      const done = PgMigrations.migrations.steps.map(({ id }) => id)
      yield* runByHand(PgMigrations.script("surety", done))
      yield* sql.unsafe(`update surety.surety_functions set replaced_at = now() where name = 'uuid_v7'`)
      yield* sql.unsafe(`insert into surety.surety_functions (name, hash) values ('uuid_v7', 'of another release')`)
      yield* runByHand(PgMigrations.script("surety", done))
      yield* PgMigrations.readiness
      assert.deepStrictEqual(yield* PgMigrations.run, [])
      assert.strictEqual(yield* schemaText("surety"), made)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect(
    "makes the same tables as its script, and as on the embedded database: those of schema.sql",
    () =>
      Effect.gen(function* () {
        const migrated = Effect.andThen(PgMigrations.run, schemaText("surety"))
        const text = yield* Effect.provide(migrated, TestStores.postgresClient)
        yield* Effect.promise(() => expect(text).toMatchFileSnapshot("../schema.sql"))
        assert.strictEqual(yield* Effect.provide(migrated, PgliteDatabase.layer()), text)
        const byHand = Effect.gen(function* () {
          const directory = yield* EmbeddedDirectory.empty
          const database = yield* Effect.acquireRelease(
            Effect.promise(() => PGlite.create(path.join(directory, "postgres"))),
            (opened) => Effect.promise(() => opened.close())
          )
          yield* Effect.promise(() => database.exec(PgMigrations.script("surety")))
          const client = { stream: pgliteDuplex(database), username: "postgres", database: "postgres", ssl: false }
          const described = Effect.andThen(PgMigrations.readiness, schemaText("surety"))
          return yield* Effect.provide(described, PgClient.layer({ ...client, maxConnections: 1 }))
        })
        assert.strictEqual(yield* byHand, text)
      }),
    threeDatabasesMillis
  )
})
