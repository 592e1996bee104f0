import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Deferred, Duration, Effect, Fiber, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sqlStateOf } from "../../src/connection/storeFailure.js"
import { prepareRewriteStatement, rewriteStatement } from "../../src/partition/rewriteStatement.js"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { events, merchant, rowsOf } from "./MonthlyEvents.js"

const database = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 }))).pipe(
  Layer.provideMerge(MigratedDatabase.layer),
  Layer.fresh
)

/** Runs the statement in a transaction and leaves the transaction open. The returned effect ends it. */
const heldBy = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* PgClient.PgClient
  const held = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const holder = yield* Effect.forkScoped(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(statement)
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(release)
      })
    )
  )
  yield* Deferred.await(held)
  return Effect.andThen(Deferred.succeed(release, undefined), Fiber.join(holder))
})

/** Rewrites the first partition of `event` in one transaction. Each attempt to take a lock waits at most 40 ms. */
const rewrite = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.andThen(
      sql`set local lock_timeout = '40ms'`.unprepared,
      sql.unsafe(rewriteStatement("surety", "event", "event_first")).unprepared
    )
  )
})

const prepared = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* merchant
  yield* (yield* PgPartitions.make).partition("event")
  yield* events("2024-06-20T00:00:00Z", 100)
  yield* sql.unsafe(prepareRewriteStatement("surety", "event_first")).unprepared
})

const isLockTimeout = (error: SqlError): boolean => sqlStateOf(error) === "55P03"

it.live("a copy of a partition is kept while a reader holds the table for a moment", () =>
  Effect.gen(function* () {
    yield* prepared
    const ended = yield* heldBy("select count(*) from surety.event")
    const rewriting = yield* Effect.forkChild(rewrite)
    yield* Effect.sleep("300 millis")
    yield* ended
    yield* Fiber.join(rewriting)
    assert.deepStrictEqual(yield* rowsOf("event"), [{ name: "surety.event_first", count: 100 }])
  }).pipe(Effect.scoped, Effect.provide(database))
)

it.live(
  "a copy is given up at once for a statement that waits for the partition, and within seconds for a reader",
  () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* prepared
      yield* sql`create function surety.slow() returns trigger language plpgsql
      as 'begin perform pg_sleep(0.4); return null; end'`
      yield* sql`create trigger slow after insert on surety.event_first_next for each statement
      execute function surety.slow()`
      const rewriting = yield* Effect.forkChild(Effect.flip(rewrite))
      yield* Effect.sleep("200 millis")
      const [waited] = yield* Effect.timed(sql`update surety.event set body = 'changed'`)
      assert.isTrue(isLockTimeout(yield* Fiber.join(rewriting)))
      assert.isBelow(Duration.toMillis(waited), 1_000)

      const ended = yield* heldBy("select count(*) from surety.event")
      const [took, error] = yield* Effect.timed(Effect.flip(rewrite))
      assert.isTrue(isLockTimeout(error))
      assert.isAbove(Duration.toMillis(took), 900)
      yield* ended
      yield* rewrite
      assert.deepStrictEqual(yield* sql`select distinct body from surety.event`, [{ body: "changed" }])
    }).pipe(Effect.scoped, Effect.provide(database))
)
