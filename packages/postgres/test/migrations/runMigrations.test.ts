import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, Option } from "effect"
import type { Migration, MigrationSet, SqlFunction } from "../../src/migrations/Migration.js"
import { scriptOf } from "../../src/migrations/migrationScript.js"
import { pendingSteps, readState, textHash } from "../../src/migrations/migrationState.js"
import * as RunMigrations from "../../src/migrations/runMigrations.js"
import * as TestStores from "../TestStores.js"

const things: Migration = {
  id: 1,
  name: "things",
  statements: (schema) => [
    `create table ${schema}.thing (id integer not null)`,
    `insert into ${schema}.thing select generate_series(1, 1000)`
  ]
}

const index: Migration = {
  id: 2,
  name: "thing_index",
  outsideTransaction: true,
  statements: (schema) => [
    `drop index concurrently if exists ${schema}.thing_idx`,
    `create index concurrently thing_idx on ${schema}.thing (id)`
  ]
}

const names: Migration = {
  id: 3,
  name: "thing_names",
  statements: (schema) => [`alter table ${schema}.thing add column name text`]
}

const answering = (value: number): SqlFunction => ({
  name: "answer",
  definition: (schema) => `create or replace function ${schema}.answer() returns integer language sql return ${value}`
})

const steps = [things, index, names]

const everything: MigrationSet = { steps, functions: [answering(1)] }

const all = ["1 (things)", "2 (thing_index)", "3 (thing_names)", "function answer"]

const answer = Effect.map(
  Effect.flatMap(PgClient.PgClient, (sql) => sql`select surety.answer() as value`),
  ([row]) => row?.value
)

describe("A step outside a transaction", () => {
  // Uses the real clock, since processes poll for the lock.
  it.live("runs once, of four processes that start at the same time", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const client = PgClient.layer({ url })
      const process = Effect.provide(RunMigrations.make(everything), Layer.fresh(client))
      const runs = yield* Effect.replicateEffect(process, 4, { concurrency: "unbounded" })
      assert.deepStrictEqual(runs.flat().sort(), all)
      const [found] = yield* Effect.provide(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`select indisvalid as valid from pg_index where indexrelid = 'surety.thing_idx'::regclass`
        ),
        client
      )
      assert.deepStrictEqual(found, { valid: true })
    }).pipe(Effect.provide(RunDatabase.layer))
  )

  it.effect("needs no second connection", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const only = PgClient.layer({ url, maxConnections: 1 })
      assert.deepStrictEqual(yield* Effect.provide(RunMigrations.make(everything), only), all)
    }).pipe(Effect.provide(RunDatabase.layer))
  )

  it.effect("runs again after it failed midway, and the steps before it do not", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const failing: Migration = {
        ...index,
        statements: (schema) => [...index.statements(schema), `select 1 / 0 from ${schema}.thing`]
      }
      const error = yield* Effect.flip(RunMigrations.make({ ...everything, steps: [things, failing, names] }))
      assert.strictEqual(error._tag, "MigrationFailed")
      assert.include(error.message, "Migration 2 (thing_index) failed")
      const done = yield* sql`select id from surety.surety_migrations`
      assert.deepStrictEqual([...done], [{ id: 1 }])
      assert.deepStrictEqual(yield* RunMigrations.make(everything), all.slice(1))
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("fails inside a host's transaction, which it could not honour", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const error = yield* Effect.flip(sql.withTransaction(RunMigrations.make(everything)))
      assert.strictEqual(error._tag, "MigrationFailed")
      const [schema] = yield* sql`select to_regnamespace('surety') as found`
      assert.deepStrictEqual(schema, { found: null })
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it("divides the transactions of the script", () => {
    const script = scriptOf("surety", everything, true)
    const marks = script.match(/^(begin;|commit;|create index concurrently|insert into [^;]*;|do \$)/gm) ?? []
    assert.deepStrictEqual(
      marks.map((mark) => mark.replace(/insert into "surety".surety_migrations.*?\((\d).*/s, "step $1")),
      [
        ...["begin;", "do $", 'insert into "surety".thing select generate_series(1, 1000);', "step 1", "commit;"],
        ...["create index concurrently", "step 2"],
        ...["begin;", "do $", "step 3", "do $", "do $", "commit;"]
      ]
    )
  })
})

describe("A function", () => {
  it.effect("runs again when its text has changed, and only then", () =>
    Effect.gen(function* () {
      yield* RunMigrations.make(everything)
      assert.deepStrictEqual(yield* RunMigrations.make(everything), [])
      assert.strictEqual(yield* answer, 1)
      const changed = { steps, functions: [answering(2)] }
      assert.deepStrictEqual(yield* RunMigrations.make(changed), ["function answer"])
      assert.strictEqual(yield* answer, 2)
      assert.deepStrictEqual(yield* RunMigrations.make(changed), [])
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("is not put back by an earlier release that starts later", () =>
    Effect.gen(function* () {
      yield* RunMigrations.make(everything)
      yield* RunMigrations.make({ steps, functions: [answering(2)] })
      const error = yield* Effect.flip(RunMigrations.make(everything))
      assert.strictEqual(error._tag, "DatabaseIsNewer")
      assert.include(error.message, "it has replaced function answer since")
      assert.strictEqual(yield* answer, 2)
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("is known by the same hash to the server, which records it, as to the process that compares", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* RunMigrations.make(everything)
      const rows = yield* sql`select hash from surety.surety_functions`
      assert.deepStrictEqual([...rows], [{ hash: yield* textHash("surety", answering(1)) }])
    }).pipe(Effect.provide(TestStores.postgresClient))
  )

  it.effect("is pending if its text is new, although every step was run", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* RunMigrations.make(everything)
      const state = yield* readState(sql, "surety")
      assert.isTrue(Option.isSome(state))
      const pending = yield* pendingSteps("surety", { steps, functions: [answering(3)] }, state)
      assert.deepStrictEqual([pending.steps.length, pending.functions.length], [0, 1])
    }).pipe(Effect.provide(TestStores.postgresClient))
  )
})
