import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"
import type { Migration } from "../../src/migrations/Migration.js"
import * as RunMigrations from "../../src/migrations/runMigrations.js"
import { migrations } from "../../src/PgMigrations.js"
import { fillEvents, limit, underLoad } from "../EventLoad.js"
import { inOneOfThree } from "../inOneOfThree.js"
import { lockFaults } from "./stepLocks.js"

/** Number of rows in the migrated table. Before a release, run this test with `MIGRATION_ROWS=2000000`. */
const rowCount = Number(process.env.MIGRATION_ROWS ?? "50000")

const last = Math.max(...migrations.steps.map(({ id }) => id))

/** Typical steps of a later release: add a column, build an index and make the column not null. */
const later: ReadonlyArray<Migration> = [
  {
    id: last + 1,
    name: "shards",
    statements: (schema) => [
      `alter table ${schema}.event add column shard integer default 0`,
      `alter table ${schema}.event add constraint event_shard_check check (shard is not null) not valid`
    ]
  },
  {
    id: last + 2,
    name: "shard_index",
    outsideTransaction: true,
    statements: (schema) => [
      `drop index concurrently if exists ${schema}.event_shard_idx`,
      `create index concurrently event_shard_idx on ${schema}.event (shard, topic, id)`,
      `alter table ${schema}.event validate constraint event_shard_check`
    ]
  },
  {
    id: last + 3,
    name: "shard_not_null",
    statements: (schema) => [
      `alter table ${schema}.event alter column shard set not null`,
      `alter table ${schema}.event drop constraint event_shard_check`
    ]
  }
]

/** A step that `lockFaults` rejects: writes to the table wait while the index is built. */
const careless: Migration = {
  id: last + 4,
  name: "careless",
  statements: (schema) => [
    `create index event_careless_idx on ${schema}.event (topic, occurred_at, id)`,
    // Holds the lock for at least a second, as building an index on a large table would.
    "select pg_sleep(1)"
  ]
}

/**
 * Reads whether the column `shard` is not null and whether its index is valid. `partitions` counts the partition
 * indexes attached to the index, and `wanted` counts the table's partitions.
 */
const indexState = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [state] = yield* sql`
    select a.attnotnull as "isNotNull", i.indisvalid as "isValid",
      (select count(*)::integer from pg_inherits p where p.inhparent = i.indexrelid) as partitions,
      (select count(*)::integer from pg_inherits p where p.inhparent = i.indrelid) as wanted
    from pg_attribute a cross join pg_index i
    where a.attrelid = 'surety.event'::regclass and a.attname = 'shard'
      and i.indexrelid = 'surety.event_shard_idx'::regclass`
  return state
})

const next = { ...migrations, steps: [...migrations.steps, ...later] }

const connected = Effect.map(TestDatabase, ({ url }) => Layer.fresh(PgClient.layer({ url, maxConnections: 4 })))

const onDatabaseOfItsOwn = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  test.pipe(Effect.provide(Layer.fresh(RunDatabase.layer)), inOneOfThree)

it.live(
  `no write waits ${limit} for a later release's steps on a table of ${rowCount} rows, with a report always running`,
  () =>
    Effect.gen(function* () {
      const client = yield* connected
      yield* Effect.provide(Effect.andThen(RunMigrations.make(migrations), fillEvents(rowCount)), client)
      const { cancelled, done, during } = yield* underLoad(Effect.provide(RunMigrations.make(next), client))
      assert.deepStrictEqual(
        done,
        later.map(({ id, name }) => `${id} (${name})`)
      )
      assert.strictEqual(cancelled, 0, "writes that waited too long")
      assert.isAbove(during, 0)
      for (const [at, step] of later.entries()) {
        assert.deepStrictEqual(lockFaults(step, [...migrations.steps, ...later.slice(0, at)]), [])
      }
      assert.deepStrictEqual(yield* Effect.provide(indexState, client), {
        isNotNull: true,
        isValid: true,
        partitions: 0,
        wanted: 0
      })

      // The same load exposes a step that blocks writes. `lockFaults` also rejects that step.
      const worse = { ...next, steps: [...next.steps, careless] }
      const found = yield* underLoad(Effect.provide(RunMigrations.make(worse), client))
      assert.isAbove(found.cancelled, 0)
      assert.lengthOf(lockFaults(careless, next.steps), 1)
    }).pipe(onDatabaseOfItsOwn),
  1_200_000
)

const unwanted: Migration = {
  id: last + 5,
  name: "no_shard_index",
  outsideTransaction: true,
  statements: (schema) => [`drop index concurrently if exists ${schema}.event_shard_idx`]
}

it.live(
  `no write waits ${limit} for the same steps on a table by month, whose index each partition gets`,
  () =>
    Effect.gen(function* () {
      const client = yield* connected
      const run = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provide(work, client)
      yield* run(
        Effect.gen(function* () {
          yield* RunMigrations.make(migrations)
          yield* fillEvents(rowCount)
          const partitions = yield* PgPartitions.make
          yield* partitions.partition("event")
          // Occupies the name of the last partition's index, so the step stops at that partition. A later run
          // continues.
          const sql = yield* PgClient.PgClient
          yield* sql`create table surety.event_rest_shard_idx ()`
          assert.strictEqual((yield* Effect.flip(RunMigrations.make(next)))._tag, "MigrationFailed")
          yield* sql`drop table surety.event_rest_shard_idx`
        })
      )
      const half = yield* run(indexState)
      assert.deepInclude(half, { isNotNull: false, isValid: false, partitions: Number(half?.wanted) - 1 })
      const { cancelled, done, during } = yield* underLoad(run(RunMigrations.make(next)))
      assert.deepStrictEqual(
        done,
        later.slice(1).map(({ id, name }) => `${id} (${name})`)
      )
      assert.strictEqual(cancelled, 0, "writes that waited too long")
      assert.isAbove(during, 0)
      const whole = yield* run(indexState)
      // At least the first partition, two upcoming months and the rest. In the last two days of a month, the first
      // partition also covers the next month.
      assert.isAtLeast(Number(whole?.wanted), 4)
      assert.deepInclude(whole, { isNotNull: true, isValid: true, partitions: whole?.wanted })

      const without = { ...next, steps: [...next.steps, unwanted] }
      assert.deepStrictEqual(yield* run(RunMigrations.make(without)), [`${unwanted.id} (${unwanted.name})`])
      const indexes = Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql`select c.relname from pg_class c where c.relname ~ 'shard_idx'`
      )
      assert.deepStrictEqual(yield* run(indexes), [])
    }).pipe(onDatabaseOfItsOwn),
  1_200_000
)
