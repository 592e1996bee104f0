import { PgClient } from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { CodeChallengeStore } from "@surety/core/consent/admission/CodeChallengeStore"
import { ConsentTokenHash } from "@surety/core/consent/link/ConsentToken"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as HostPool from "@surety/postgres/HostPool"
import * as HostTransaction from "@surety/postgres/HostTransaction"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Fiber, Latch, Layer, Redacted, type Scope } from "effect"
import { Pool, type PoolConfig } from "pg"
import { refundsOf } from "../refund/RefundedSale.js"

const poolOf = (config: PoolConfig) =>
  Effect.flatMap(TestDatabase, ({ url }) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new Pool({ connectionString: Redacted.value(url), ...config })
        // `pool.end` does not wait until its connections are closed. Dropping the database can then terminate them,
        // which the pool reports as errors.
        pool.on("error", () => {})
        return pool
      }),
      (pool) => Effect.promise(() => pool.end())
    )
  )

const live = <E>(name: string, test: Effect.Effect<void, E, TestDatabase | Scope.Scope>) =>
  it.live(name, () => test.pipe(Effect.scoped, Effect.provide(RunDatabase.layer)))

describe("A connection of the host's", () => {
  live(
    "is not given back inside a transaction that the driver gave up on",
    Effect.gen(function* () {
      const host = yield* poolOf({ max: 1, query_timeout: 200 })
      const elsewhere = yield* poolOf({ max: 1 })
      yield* Effect.promise(() => elsewhere.query("create table note (text text)"))
      const ours = Effect.flatMap(PgClient, (sql) =>
        sql.withTransaction(Effect.andThen(sql`insert into note values ('ours')`, sql`select pg_sleep(0.6)`))
      )
      yield* Effect.exit(Effect.provide(ours, HostPool.layer(host)))
      yield* Effect.promise(() => elsewhere.query("select pg_sleep(0.6)"))
      const theirs = { text: "insert into note values ('theirs')", query_timeout: 60_000 }
      yield* Effect.promise(() => host.query(theirs))
      const notes = yield* Effect.promise(() => elsewhere.query("select text from note"))
      assert.deepStrictEqual(notes.rows, [{ text: "theirs" }])
    })
  )

  live(
    "is given back when a caller leaves between two statements, and closed when it leaves within one",
    Effect.gen(function* () {
      const host = yield* poolOf({ max: 1 })
      const elsewhere = yield* poolOf({ max: 1 })
      const left = (work: (sql: PgClient) => Effect.Effect<unknown, unknown>, isThere: Effect.Effect<unknown>) =>
        Effect.gen(function* () {
          const caller = yield* Effect.forkChild(Effect.exit(work(yield* PgClient)))
          yield* isThere
          yield* Fiber.interrupt(caller)
        }).pipe(Effect.provide(HostPool.layer(host)))
      const between = Latch.makeUnsafe(false)
      const stay = Effect.andThen(between.open, Effect.never)
      yield* left((sql) => sql.withTransaction(Effect.andThen(sql`select 1`, stay)), between.await)
      assert.deepStrictEqual([host.totalCount, host.idleCount], [1, 1])
      const asleep = Effect.promise(() =>
        elsewhere.query("select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'")
      )
      const within = Effect.repeat(asleep, { until: ({ rowCount }) => rowCount === 1 })
      yield* left((sql) => sql`select pg_sleep(60)`, within)
      assert.strictEqual(host.totalCount, 0)
    })
  )

  live(
    "is not read where it answers bytes in a form that would be taken for others",
    Effect.gen(function* () {
      const host = yield* poolOf({ max: 1, options: "-c bytea_output=escape" })
      const read = Effect.flatMap(PgClient, (sql) => sql`select 'no hex'::bytea as bytes`)
      const failed = yield* Effect.flip(Effect.provide(read, HostPool.layer(host)))
      assert.include(String(failed.reason.cause), "bytea_output")
    })
  )
})

describe("A transaction of the host's", () => {
  live(
    "is refused if none was begun, or it was committed already",
    Effect.gen(function* () {
      const host = yield* poolOf({ max: 2 })
      yield* Effect.gen(function* () {
        const sql = yield* PgClient
        const connection = yield* Effect.acquireRelease(
          Effect.promise(() => host.connect()),
          (held) => Effect.sync(() => held.release())
        )
        const work = HostTransaction.inTransaction(connection)(sql`select 1`)
        yield* Effect.promise(() => connection.query("begin"))
        yield* work
        yield* Effect.promise(() => connection.query("commit"))
        const refused = yield* Effect.exit(work)
        assert.match(String(refused), /not in a transaction/)
      }).pipe(Effect.provide(HostPool.layer(host)))
    })
  )
})

describe("Verbs that a host runs at once inside one transaction", () => {
  live(
    "take turns: one that is undone takes nothing of another's with it",
    Effect.gen(function* () {
      const host = yield* poolOf({ max: 4 })
      const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
        Layer.provideMerge(DeliverySignal.layer),
        Layer.provideMerge(HostPool.layer(host))
      )
      yield* Effect.gen(function* () {
        const { change } = yield* CodeChallengeStore
        const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const undone = change(ConsentTokenHash.make("ab".repeat(32)), () => {
          throw new Error("no one can decide")
        })
        const refund = (amountMinor: bigint) => RefundAttempt.executed(sale.scope, sale.payment, { amountMinor })
        const connection = yield* Effect.acquireRelease(
          Effect.promise(() => host.connect()),
          (held) => Effect.sync(() => held.release())
        )
        yield* Effect.promise(() => connection.query("begin"))
        yield* Effect.all([Effect.exit(undone), refund(100n), Effect.exit(undone), refund(200n)], {
          concurrency: "unbounded"
        }).pipe(HostTransaction.inTransaction(connection))
        yield* Effect.promise(() => connection.query("commit"))
        assert.lengthOf(yield* refundsOf(sale), 2)
      }).pipe(Effect.provide(stores))
    })
  )
})
