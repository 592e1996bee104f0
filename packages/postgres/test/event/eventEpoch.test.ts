import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { type EventId, toUuid } from "@surety/core/Ids"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as PgEventOrder from "@surety/postgres/PgEventOrder"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { DateTime, Deferred, Effect, Fiber, Schedule } from "effect"
import { someoneWaits } from "../someoneWaits.js"
import * as TestStores from "../TestStores.js"

const timeoutMillis = 180_000

/** Offset that makes transaction ids far greater than any in a test's database, as after years of use. */
const laterId = 4_000_000_000_000

const scopeWithEvents = Effect.gen(function* () {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const start = yield* Fresh.longAgo
  const events = yield* Effect.forEach([0, 1, 2], (minutes) =>
    FreshEvent.make(scope, Fresh.later(start, minutes * FreshEvent.minute))
  )
  return { scope, start, ids: events.map(({ id }) => id) }
})

const shown = (scope: MerchantScope, count: number, after?: EventId) =>
  Effect.flatMap(EventLog, (log) => log.follow(scope, { after, limit: 100 })).pipe(
    Effect.map((events) => events.map(({ id }) => id)),
    Effect.repeat({ until: ({ length }) => length >= count, times: 3000, schedule: Schedule.spaced("10 millis") })
  )

/**
 * Simulates a dump and restore. Gives the events transaction ids of another cluster. Rewrites the row of `event_order`
 * unchanged, in another transaction.
 */
const copied = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`update surety.event set committed_by = (committed_by::text::bigint + ${laterId})::text::xid8`
  yield* sql`update surety.event_order set epoch = epoch`
})

const epoch = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ epoch: number }>`select epoch from surety.event_order`
  return row?.epoch
})

/** Stores a timeline that differs from the cluster's, as after a failover. */
const onNextTimeline = Effect.flatMap(PgClient.PgClient, (sql) =>
  sql.withTransaction(
    Effect.andThen(
      sql`update surety.event_order set timeline = timeline + 1, written_by = '0'`,
      sql`update surety.event_order set written_by = xmin`
    )
  )
)

/** Stores an event and nothing else. Unlike a payment's event, it waits for no other transaction of the merchant. */
const appended = Effect.fnUntraced(function* (scope: MerchantScope, at: DateTime.Utc) {
  const sql = yield* PgClient.PgClient
  const id = Fresh.eventId(at)
  const event = {
    merchant_id: toUuid(scope.merchantId),
    environment: scope.environment,
    id: toUuid(id),
    topic: "transaction.settled",
    body: "{}",
    occurred_at: DateTime.formatIso(at),
    platform_only: false
  }
  yield* sql`select * from surety.append_events(${JSON.stringify([event])}::json)`
  return id
})

const orderFaults = Effect.gen(function* () {
  const faults = yield* (yield* Ledger).audit
  return faults.filter(({ check }) => check === "events_in_order").map(({ subject }) => subject)
})

it.layer(TestStores.postgres, { timeout: timeoutMillis, excludeTestServices: true })("a copied database", (it) => {
  it.effect(
    "shows every event before any is kept, and what comes then behind them all, with the cursors of before",
    () =>
      Effect.gen(function* () {
        const { ids, scope, start } = yield* scopeWithEvents
        assert.deepStrictEqual(yield* shown(scope, 3), ids)
        yield* copied
        assert.deepStrictEqual(yield* orderFaults, [])
        assert.deepStrictEqual(yield* shown(scope, 3), ids)
        const later = yield* Effect.forEach([0, 1], () => FreshEvent.make(scope, start))
        const all = [...ids, ...later.map(({ id }) => id)]
        assert.deepStrictEqual(yield* shown(scope, 5), all)
        assert.deepStrictEqual(yield* shown(scope, 3, ids[1]), all.slice(2))
      }),
    timeoutMillis
  )

  it.effect(
    "begins one epoch, however many write first, also under savepoints",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { ids, scope, start } = yield* scopeWithEvents
        yield* copied
        const before = yield* epoch
        const nested = sql.withTransaction(sql.withTransaction(FreshEvent.make(scope, start)))
        yield* Effect.replicateEffect(nested, 8, { concurrency: 8 })
        assert.strictEqual(yield* epoch, (before ?? 0) + 1)
        yield* FreshEvent.make(scope, start)
        assert.strictEqual(yield* epoch, (before ?? 0) + 1)
        assert.deepStrictEqual((yield* shown(scope, 12)).slice(0, 3), ids)
      }),
    timeoutMillis
  )

  it.effect(
    "is distinguished from a database that was left alone, vacuumed and rewritten",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { scope, start } = yield* scopeWithEvents
        yield* PgEventOrder.settle
        const before = yield* epoch
        yield* sql`vacuum full freeze surety.event_order`
        assert.isFalse(yield* PgEventOrder.settle)
        yield* FreshEvent.make(scope, start)
        assert.strictEqual(yield* epoch, before)
      }),
    timeoutMillis
  )

  it.effect(
    "is repaired at the start if the events were copied without the order's row, which the audit reports",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { ids, scope, start } = yield* scopeWithEvents
        yield* PgEventOrder.settle
        const spoiled = [
          sql`update surety.event set committed_by = (committed_by::text::bigint + ${laterId})::text::xid8
            where epoch = (select max(epoch) from surety.event)`,
          sql`update surety.event set epoch = epoch + 3 where epoch = (select max(epoch) from surety.event)`
        ]
        const expected = [...ids]
        for (const spoil of spoiled) {
          yield* spoil
          assert.include(yield* orderFaults, expected.at(-1))
          assert.isTrue(yield* PgEventOrder.settle)
          assert.deepStrictEqual(yield* orderFaults, [])
          assert.isFalse(yield* PgEventOrder.settle)
          expected.push((yield* FreshEvent.make(scope, start)).id)
          assert.deepStrictEqual(yield* shown(scope, expected.length), expected)
        }
        yield* sql`delete from surety.event_order`
        expected.push((yield* FreshEvent.make(scope, start)).id)
        assert.deepStrictEqual(yield* shown(scope, expected.length), expected)
      }),
    timeoutMillis
  )

  it.effect(
    "that was set back in time on a timeline of its own begins an epoch",
    () =>
      Effect.gen(function* () {
        yield* PgEventOrder.settle
        yield* onNextTimeline
        assert.isTrue(yield* PgEventOrder.settle)
        assert.isFalse(yield* PgEventOrder.settle)
      }),
    timeoutMillis
  )

  it.effect(
    "begins no epoch before the transactions that store events have ended, so none comes behind a follower",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const { ids, scope, start } = yield* scopeWithEvents
        yield* PgEventOrder.settle
        const [stored, mayCommit] = [yield* Deferred.make<EventId>(), yield* Deferred.make<void>()]
        const long = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* Deferred.succeed(stored, (yield* FreshEvent.make(scope, start)).id)
              yield* Deferred.await(mayCommit)
            })
          )
        )
        const open = yield* Deferred.await(stored)
        const beside = yield* appended(scope, start)
        yield* onNextTimeline
        const settling = yield* Effect.forkChild(PgEventOrder.settle)
        yield* someoneWaits
        assert.deepStrictEqual(yield* shown(scope, 3), ids)
        yield* Deferred.succeed(mayCommit, undefined)
        yield* Fiber.join(long)
        assert.isTrue(yield* Fiber.join(settling))
        const { id: later } = yield* FreshEvent.make(scope, start)
        assert.deepStrictEqual(yield* shown(scope, 6), [...ids, open, beside, later])
      }),
    timeoutMillis
  )
})
