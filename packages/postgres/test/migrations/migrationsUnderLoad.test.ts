import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Fiber, Layer, Ref, Schedule } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import type { Migration } from "../../src/migrations/Migration.js"
import * as RunMigrations from "../../src/migrations/runMigrations.js"
import { migrations } from "../../src/PgMigrations.js"
import { inOneOfThree } from "../inOneOfThree.js"
import { lockFaults } from "./stepLocks.js"

/** Rows of the table that is migrated. `MIGRATION_ROWS=2000000` is what a release tries once. */
const rowCount = Number(process.env.MIGRATION_ROWS ?? "50000")

/** No write may wait longer for a lock; the server cancels one that does. */
const limit = "100ms"

const last = Math.max(...migrations.steps.map(({ id }) => id))

/** What a later release may bring: a column, an index, and a column that must not be null. */
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

/** What must not be done: it keeps a table's lock while it builds. */
const careless: Migration = {
  id: last + 4,
  name: "careless",
  statements: (schema) => [
    `create index event_careless_idx on ${schema}.event (topic, occurred_at, id)`,
    // Makes a step last as long as an index over many millions of rows, on a table that is small here.
    "select pg_sleep(1)"
  ]
}

const merchantId = "01890000-0000-7000-8000-000000000001"

const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`
    insert into surety.merchant
      (id, business_code, name, legal_name, contact_name, contact_email, country, business_type, refunds_enabled,
      settlement_overdraft, status, created_at, updated_at)
    values (${merchantId}, 'SRM-2345-6789', 'Shop', 'Shop Ltd', 'A', 'a@shop.example', 'NG', 'LTD', true, false, 'ACTIVE',
      now(), now())`
  yield* sql`
    insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
    select ${merchantId}, 'LIVE', surety.uuid_v7('2026-01-01'::timestamptz + make_interval(secs => g)),
      'transaction.settled', '{"status":"SETTLED","number":' || g || '}', '2026-01-01'::timestamptz + make_interval(secs => g)
    from generate_series(1, ${rowCount}) g`
})

/** What writers came to while `work` ran. */
const underLoad = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* TestDatabase
    const written = yield* Ref.make(0)
    const cancelled = yield* Ref.make(0)
    const write = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(`set local lock_timeout = '${limit}'`)
            yield* sql`select * from surety.append_events(${JSON.stringify([
              {
                merchant_id: merchantId,
                environment: "LIVE",
                id: crypto.randomUUID(),
                topic: "transaction.settled",
                body: "{}",
                occurred_at: "2026-11-01T00:00:00Z",
                platform_only: false
              }
            ])}::json)`
          })
        )
        .pipe(
          Effect.andThen(Ref.update(written, (count) => count + 1)),
          Effect.catchIf(
            (error) => isSqlError(error) && error.reason._tag === "LockTimeoutError",
            () => Ref.update(cancelled, (count) => count + 1)
          )
        )
      // The machine is shared: the load consists of lock requests, not of processor time.
      yield* Effect.sleep("5 millis")
    })
    // A report that reads the table for longer than any write may wait: a lock request queued behind it makes writes
    // wait.
    const report = Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql.withTransaction(Effect.andThen(sql`select 1 from surety.event limit 1`, sql`select pg_sleep(0.7)`))
      yield* Effect.sleep("300 millis")
    })
    const load = Effect.all([...Array.from({ length: 4 }, () => Effect.forever(write)), Effect.forever(report)], {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 6 }))))
    const fiber = yield* Effect.forkChild(load)
    yield* Effect.repeat(Ref.get(written), { until: (count) => count > 20, schedule: Schedule.spaced("20 millis") })
    const before = yield* Ref.get(written)
    const done = yield* work
    const during = (yield* Ref.get(written)) - before
    yield* Fiber.interrupt(fiber)
    return { done, during, cancelled: yield* Ref.get(cancelled) }
  })

it.live(
  `no write waits ${limit} for a later release's steps on a table of ${rowCount} rows, with a report always under way`,
  () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const client = Layer.fresh(PgClient.layer({ url, maxConnections: 4 }))
      yield* Effect.provide(Effect.andThen(RunMigrations.make(migrations), fill), client)
      const next = { ...migrations, steps: [...migrations.steps, ...later] }
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
      const [column] = yield* Effect.provide(
        Effect.flatMap(
          PgClient.PgClient,
          (sql) => sql`
            select a.attnotnull as "isNotNull", i.indisvalid as "isValid" from pg_attribute a
            cross join pg_index i
            where a.attrelid = 'surety.event'::regclass and a.attname = 'shard'
              and i.indexrelid = 'surety.event_shard_idx'::regclass`
        ),
        client
      )
      assert.deepStrictEqual(column, { isNotNull: true, isValid: true })

      // The same load finds a step that keeps a lock, which the rules for steps refuse too.
      const worse = { ...next, steps: [...next.steps, careless] }
      const found = yield* underLoad(Effect.provide(RunMigrations.make(worse), client))
      assert.isAbove(found.cancelled, 0)
      assert.lengthOf(lockFaults(careless, next.steps), 1)
    }).pipe(Effect.provide(Layer.fresh(RunDatabase.layer)), inOneOfThree),
  1_200_000
)
