import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { endpoint, events, merchant, merchantId, rowsOf, shapeOf } from "./MonthlyEvents.js"
import { partitionAll } from "./PartitionedStores.js"

/** A new migrated database for each test. */
const database = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 }))).pipe(
  Layer.provideMerge(MigratedDatabase.layer),
  Layer.fresh
)

const act = (at: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`
      insert into surety.operator_action (id, actor, kind, target, changes, at)
      values (surety.uuid_v7(${at}::timestamptz), 'ada', 'grant.revoked', 'x', '[]', ${at}::timestamptz)`
  })

const run = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof database>>) => Effect.provide(work, database)

it.live("a partitioned table looks to all its users as before, with the same rights", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const partitions = yield* PgPartitions.make
      yield* sql`grant select, insert (id, at) on surety.operator_action to public`
      yield* sql`grant select on surety.event to pg_monitor with grant option`
      const before = yield* Effect.forEach(PgPartitions.partitionedTables, shapeOf)
      yield* partitionAll
      assert.deepStrictEqual(yield* Effect.forEach(PgPartitions.partitionedTables, shapeOf), before)
      // Partitioning again changes nothing.
      yield* partitionAll
      assert.deepStrictEqual(yield* Effect.forEach(PgPartitions.partitionedTables, shapeOf), before)
      assert.strictEqual(yield* partitions.makeAhead, 3)
      for (const { hasRest, isPartitioned, partitions: made } of yield* partitions.states) {
        assert.isTrue(isPartitioned)
        assert.isFalse(hasRest)
        assert.isAtLeast(made, 3)
      }
    })
  )
)

it.live("partitions are the tables' owner's, also if a superuser makes them, so that the owner can migrate them", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const owner = `owner_${randomUUID().slice(0, 8)}`
      yield* sql.unsafe(`create role ${owner}`)
      yield* sql.unsafe(`alter schema surety owner to ${owner}`)
      yield* sql.unsafe(`do $$ declare item record; begin
        for item in select c.oid::regclass as place from pg_class c
          where c.relnamespace = 'surety'::regnamespace and c.relkind = 'r'
        loop
          execute format('alter table %s owner to ${owner}', item.place);
        end loop;
        for item in select p.oid::regprocedure as place from pg_proc p where p.pronamespace = 'surety'::regnamespace loop
          execute format('alter routine %s owner to ${owner}', item.place);
        end loop;
      end $$`)
      yield* merchant
      yield* partitionAll
      yield* events("2020-01-01T00:00:00Z", 4_000)
      yield* sql`delete from surety.event v where right(v.body, 2) <> '11'`
      yield* sql`alter table surety.event detach partition surety.event_first`
      yield* sql.unsafe(`alter table surety.event attach partition surety.event_first
        for values from (minvalue) to ('01800000-0000-0000-0000-000000000000')`)
      const partitions = yield* PgPartitions.make
      assert.deepStrictEqual(yield* partitions.shrink, [{ name: "event_first", isGone: false }])
      const foreign = yield* sql`
        select c.relname from pg_class c
        where c.relnamespace = 'surety'::regnamespace and c.relkind in ('r', 'p') and c.relowner <> ${owner}::regrole`
      assert.deepStrictEqual(foreign, [])
      yield* sql.withTransaction(
        Effect.andThen(sql.unsafe(`set local role ${owner}`), sql`alter table surety.event add column later integer`)
      )
      yield* sql.unsafe(`drop owned by ${owner} cascade`)
      yield* sql.unsafe(`drop role ${owner}`)
    })
  )
)

it.live("rows stay where they were, new ones go to their month, and those of no month to the rest", () =>
  run(
    Effect.gen(function* () {
      yield* act("2020-01-01T00:00:00Z")
      yield* partitionAll
      const partitions = yield* PgPartitions.make
      const next = yield* partitions.boundary
      yield* act("2019-05-01T00:00:00Z")
      yield* act(new Date(Number(next.epochMilliseconds)).toISOString())
      yield* act("2099-01-01T00:00:00Z")
      assert.deepStrictEqual(yield* rowsOf("operator_action"), [
        { name: `surety.operator_action_${monthName(next.epochMilliseconds)}`, count: 1 },
        { name: "surety.operator_action_first", count: 2 },
        { name: "surety.operator_action_rest", count: 1 }
      ])
      assert.isTrue((yield* partitions.states).find(({ table }) => table === "operator_action")?.hasRest)
    })
  )
)

const monthName = (millis: number): string => new Date(millis).toISOString().slice(0, 7).replace("-", "_")

it.live("a table with rows of a later month stays as it is", () =>
  run(
    Effect.gen(function* () {
      yield* act("2099-01-01T00:00:00Z")
      const partitions = yield* PgPartitions.make
      const before = yield* shapeOf("operator_action")
      const error = yield* Effect.flip(partitions.partition("operator_action"))
      assert.strictEqual(error._tag, "RowsOfLaterMonths")
      assert.deepStrictEqual(yield* shapeOf("operator_action"), before)
    })
  )
)

it.live("a rule that a killed run left is taken away before it refuses a row, and no sooner", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const partitions = yield* PgPartitions.make
      const leave = (until: string) =>
        sql.unsafe(
          `do $$ begin execute format('alter table surety.event add constraint event_first_check check (id < %L) not valid',
            surety.uuid_v7(${until})); end $$`
        )
      const isThere = Effect.map(
        sql`select 1 from pg_constraint where conname = 'event_first_check'`,
        ({ length }) => length === 1
      )
      yield* leave("now() + interval '20 days'")
      assert.isUndefined(yield* partitions.makeAhead)
      assert.isTrue(yield* isThere)
      yield* sql`alter table surety.event drop constraint event_first_check`
      yield* leave("now() + interval '20 hours'")
      yield* partitions.makeAhead
      assert.isFalse(yield* isThere)
      // `partition` removes a constraint left over for another month.
      yield* leave("now() + interval '20 days'")
      yield* partitions.partition("event")
      assert.isFalse(yield* isThere)
    })
  )
)

/** Replaces the first partition of `event` with a partition of a past month, which `shrink` treats as ended. */
const pastMonth = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`alter table surety.event detach partition surety.event_first`
  yield* sql`drop table surety.event_first`
  yield* sql.unsafe(`create table surety.event_2024_06 partition of surety.event
    for values from ('01900000-0000-0000-0000-000000000000') to ('0190a000-0000-0000-0000-000000000000')`)
})

it.live("an ended partition whose long values are stored apart is judged with them", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const partitions = yield* PgPartitions.make
      yield* merchant
      yield* partitionAll
      yield* pastMonth
      yield* events("2024-06-20T00:00:00Z", 500)
      yield* sql`
        update surety.event v set body = v.body || (
          select string_agg(md5(v.id::text || g), '') from generate_series(1, 300) g
        )`
      yield* sql`vacuum full surety.event_2024_06`
      assert.deepStrictEqual(yield* partitions.shrink, [])
      yield* sql`delete from surety.event v where v.id::text not like '%0'`
      assert.deepStrictEqual(yield* partitions.shrink, [{ name: "event_2024_06", isGone: false }])
    })
  )
)

it.live("an ended partition is written again when few of its rows are left, and goes with the last", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const partitions = yield* PgPartitions.make
      yield* merchant
      yield* partitionAll
      yield* pastMonth
      const before = yield* shapeOf("event")
      yield* events("2024-06-20T00:00:00Z", 4_000)
      assert.deepStrictEqual(yield* partitions.shrink, [])
      yield* sql`delete from surety.event v where right(v.body, 2) <> '11'`
      const rows = yield* sql`select v::text as row from surety.event v order by v.id`
      assert.isAbove(rows.length, 10)
      assert.deepStrictEqual(yield* partitions.shrink, [{ name: "event_2024_06", isGone: false }])
      assert.deepStrictEqual(yield* sql`select v::text as row from surety.event v order by v.id`, rows)
      assert.deepStrictEqual(yield* rowsOf("event"), [{ name: "surety.event_2024_06", count: rows.length }])
      assert.deepStrictEqual(yield* shapeOf("event"), before)
      assert.deepStrictEqual(yield* partitions.shrink, [])
      yield* sql`delete from surety.event`
      assert.deepStrictEqual(yield* partitions.shrink, [{ name: "event_2024_06", isGone: true }])
      assert.deepStrictEqual(yield* shapeOf("event"), before)
      yield* events("2024-06-20T00:00:00Z", 1)
      assert.deepStrictEqual(yield* rowsOf("event"), [{ name: "surety.event_rest", count: 1 }])
    })
  )
)

it.live("foreign keys between tables by month hold in each month, also when it is written again", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const partitions = yield* PgPartitions.make
      yield* merchant
      yield* endpoint
      yield* partitionAll
      const tables = ["event", "delivery", "delivery_attempt"] as const
      for (const table of tables.toReversed()) {
        yield* sql.unsafe(`alter table surety.${table} detach partition surety.${table}_first`)
        yield* sql.unsafe(`drop table surety.${table}_first`)
      }
      for (const table of tables) {
        yield* sql.unsafe(`select surety.make_partition('surety.${table}'::regclass, '2024-06-01T00:00:00Z')`)
      }
      const before = yield* Effect.forEach(tables, shapeOf)
      const orphan = sql`
        insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
        select surety.delivery_id(n.id, ${merchantId}), n.id, ${merchantId}, ${merchantId}, 'LIVE', 'DELIVERED', 1, 1, now()
        from (select surety.uuid_v7('2024-06-21T00:00:00Z') as id) n`
      const orphanAttempt = sql`
        insert into surety.delivery_attempt (delivery_id, number, started_at, duration_millis)
        select surety.uuid_v7('2024-06-21T00:00:00Z'), 1, now(), 1`
      const told = sql`delete from surety.event v where exists (select from surety.delivery d where d.event_id = v.id)`
      const areHeld = Effect.gen(function* () {
        for (const statement of [orphan, orphanAttempt, told]) {
          const { reason } = yield* Effect.flip(statement)
          assert.strictEqual(String(Reflect.get(Object(reason.cause), "code")), "23503")
        }
      })
      const sent = Effect.gen(function* () {
        yield* sql`
          insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
          select surety.delivery_id(v.id, ${merchantId}), v.id, ${merchantId}, ${merchantId}, 'LIVE', 'DELIVERED', 1, 1, v.occurred_at
          from surety.event v`
        yield* sql`
          insert into surety.delivery_attempt (delivery_id, number, started_at, duration_millis, response_body)
          select d.id, 1, now(), 1, repeat('x', 500) from surety.delivery d`
      })
      yield* events("2024-06-20T00:00:00Z", 9_000)
      yield* sent
      yield* areHeld
      const keep = sql`select d.id, d.event_id from surety.delivery d where get_byte(uuid_send(d.id), 15) < 4`
      yield* sql`delete from surety.delivery d where d.id not in (select k.id from (${keep}) k)`
      yield* sql`delete from surety.event v where v.id not in (select k.event_id from (${keep}) k)`
      const left = yield* rowsOf("delivery")
      assert.deepStrictEqual(
        yield* partitions.shrink,
        ["delivery_attempt_2024_06", "delivery_2024_06", "event_2024_06"].map((name) => ({ name, isGone: false }))
      )
      assert.deepStrictEqual(yield* rowsOf("delivery"), left)
      assert.deepStrictEqual(yield* Effect.forEach(tables, shapeOf), before)
      yield* areHeld

      yield* sql`delete from surety.delivery`
      yield* sql`delete from surety.event`
      assert.deepStrictEqual(
        yield* partitions.shrink,
        ["delivery_attempt_2024_06", "delivery_2024_06", "event_2024_06"].map((name) => ({ name, isGone: true }))
      )
      yield* events("2024-06-20T00:00:00Z", 3)
      yield* sent
      assert.deepStrictEqual(yield* rowsOf("delivery_attempt"), [{ name: "surety.delivery_attempt_rest", count: 3 }])
      yield* areHeld
      assert.deepStrictEqual(yield* Effect.forEach(tables, shapeOf), before)
    })
  )
)

it.live("attempts go on with their numbers, and leave with their delivery", () =>
  run(
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* merchant
      yield* events("2026-01-01T00:00:00Z", 2)
      yield* endpoint
      yield* sql`
        insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
        select surety.delivery_id(v.id, ${merchantId}), v.id, ${merchantId}, ${merchantId}, 'LIVE', 'DELIVERED', 1, 1, v.occurred_at
        from surety.event v`
      const attempt = sql`
        insert into surety.delivery_attempt (delivery_id, number, started_at, duration_millis)
        select d.id, 1, now(), 1 from surety.delivery d returning id::integer as id`
      const first = yield* attempt
      yield* partitionAll
      const second = yield* attempt
      assert.deepStrictEqual(
        [...first, ...second].map(({ id }) => id),
        [1, 2, 3, 4]
      )
      yield* sql`delete from surety.delivery d where d.event_id = (select min(v.id::text)::uuid from surety.event v)`
      assert.lengthOf(yield* sql`select 1 from surety.delivery_attempt`, 2)
    })
  )
)
