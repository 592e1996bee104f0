import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { monthsAhead, worker } from "@surety/core/retention/Partitions"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as PgStores from "@surety/postgres/PgStores"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Effect, Layer, Metric, Redacted, Schema } from "effect"
import { fillEvents, limit, underLoad } from "../EventLoad.js"
import { inOneOfThree } from "../inOneOfThree.js"
import * as MigratedDatabase from "../MigratedDatabase.js"
import * as PartitionedStores from "./PartitionedStores.js"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 })))

/** Rows of the table that is partitioned. `PARTITION_ROWS=2000000` is what a release tries once. */
const rowCount = Number(process.env.PARTITION_ROWS ?? "20000")

it.live(
  `no write waits ${limit} while tables of ${rowCount} rows are partitioned, with a report under way now and then`,
  () =>
    Effect.gen(function* () {
      yield* fillEvents(rowCount)
      const partitions = yield* PgPartitions.make
      const { cancelled, during, written } = yield* underLoad(
        Effect.forEach(["event", "delivery", "delivery_attempt"] as const, partitions.partition, { discard: true })
      )
      assert.strictEqual(cancelled, 0, "writes that waited too long")
      assert.isAbove(during, 0)
      const sql = yield* PgClient.PgClient
      const counts = yield* sql`
        select count(*)::integer as count from surety.event union all select count(*)::integer from surety.delivery`
      assert.lengthOf(counts, 2)
      for (const { count } of counts) {
        // A write that the end interrupted may have been committed.
        assert.isAtLeast(Number(count), rowCount + written)
        assert.isAtMost(Number(count), rowCount + written + 4)
      }
      const faults = yield* sql`select 1 from pg_constraint k where not k.convalidated`
      assert.lengthOf(faults, 0)
    }).pipe(Effect.provide(Layer.fresh(Layer.provideMerge(client, MigratedDatabase.layer))), inOneOfThree),
  120_000
)

const codeOf = (statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.unsafe(statement).unprepared.pipe(
      Effect.as("done"),
      Effect.catch(({ reason }) => Effect.succeed(String(Reflect.get(Object(reason.cause), "code"))))
    )
  })

const Told = Schema.Array(Schema.Struct({ name: Schema.String }))

it.layer(PartitionedStores.stores, { excludeTestServices: true, timeout: 60_000 })("tables by month", (it) => {
  it.effect("are served by the role that serves, which makes months ahead and no other table", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const sql = yield* PgClient.PgClient
      const role = `serving_${randomUUID().slice(0, 8)}`
      const password = randomUUID()
      yield* sql.unsafe(`create role ${role} login password '${password}'`)
      yield* PgRoles.grant(role)
      const serving = new URL(Redacted.value(url))
      serving.username = role
      serving.password = password
      const last = yield* Effect.flatMap(
        sql`select c.relname as name from pg_class c where c.relispartition and c.relkind = 'r'
          and c.relname ~ '^event_[0-9]' order by 1 desc limit 1`,
        Schema.decodeUnknownEffect(Told)
      )
      const gone = last[0]?.name ?? assert.fail("there is no month ahead")
      yield* sql.unsafe(`alter table surety.event detach partition surety.${gone}`)
      yield* sql.unsafe(`drop table surety.${gone}`)
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* PgRoles.lackedRights, [])
        assert.deepStrictEqual((yield* PgRoles.serverRights).excess, [])
        yield* worker.round
        assert.strictEqual((yield* Metric.value(monthsAhead)).value, 3)
        const made =
          yield* (yield* PgClient.PgClient)`select 1 from pg_class where relname = ${gone} and relispartition`
        assert.lengthOf(made, 1)
        for (const statement of [
          "create table surety.event_2031_01 ()",
          `select 1 from surety.${gone}`,
          `insert into surety.${gone} select * from surety.event`,
          "alter table surety.event detach partition surety.event_first",
          "truncate surety.event_first",
          "drop table surety.identity_read_rest"
        ]) {
          assert.strictEqual(yield* codeOf(statement), "42501", statement)
        }
        const partitions = yield* PgPartitions.make
        assert.isFalse(yield* partitions.mayChange)
      }).pipe(
        Effect.provide(
          Layer.fresh(
            PgStores.layer.pipe(
              Layer.provideMerge(PgClient.layer({ url: Redacted.make(serving.href), maxConnections: 2 }))
            )
          )
        )
      )
      yield* sql.unsafe(`drop owned by ${role}`)
      yield* sql.unsafe(`drop role ${role}`)
    })
  )

  it.effect("are only appended to, in each of their partitions, also by their owner", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const partitions = yield* Effect.flatMap(
        sql`select c.relname as name from pg_class c where c.relispartition and c.relkind = 'r'
          and c.relname ~ '^(identity_read|operator_action)_' order by 1`,
        Schema.decodeUnknownEffect(Told)
      )
      assert.isAtLeast(partitions.length, 8)
      for (const { name } of partitions) {
        for (const statement of [
          `truncate surety.${name}`,
          `delete from surety.${name}`,
          `update surety.${name} set id = id`
        ]) {
          assert.strictEqual(yield* codeOf(statement), "23001", statement)
        }
      }
    })
  )

  it.effect("are listed by an index of each partition, and read no more than a page of them", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const actions = yield* OperatorActionStore
      const log = yield* EventLog
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const uuid = toUuid(scope.merchantId)
      // Of each month of two years, as after two years.
      yield* sql`
        do $$ declare month timestamptz; begin
          alter table surety.event detach partition surety.event_first;
          alter table surety.operator_action detach partition surety.operator_action_first;
          for month in select m from generate_series('2024-01-01'::timestamptz, '2025-12-01', '1 month') m loop
            execute format('create table surety.event_%s partition of surety.event for values from (%L) to (%L)',
              to_char(month, 'YYYY_MM'), overlay(surety.uuid_v7(month)::text placing '-0000-0000-000000000000' from 14),
              overlay(surety.uuid_v7(month + interval '1 month')::text placing '-0000-0000-000000000000' from 14));
            execute format('create table surety.operator_action_%s partition of surety.operator_action for values from (%L) to (%L)',
              to_char(month, 'YYYY_MM'), overlay(surety.uuid_v7(month)::text placing '-0000-0000-000000000000' from 14),
              overlay(surety.uuid_v7(month + interval '1 month')::text placing '-0000-0000-000000000000' from 14));
          end loop;
        end $$`.unprepared
      yield* sql`
        insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
        select surety.uuid_v7(at), ${uuid}, 'LIVE', 'refund.completed', '{}', at
        from (select '2024-01-02'::timestamptz + n * interval '1 hour' as at from generate_series(1, 16000) n) t`
      yield* sql`
        insert into surety.operator_action (id, actor, kind, target, merchant_id, changes, at)
        select surety.uuid_v7(at), 'ada', 'grant.revoked', 'x', ${uuid}, '[]', at
        from (select '2024-01-02'::timestamptz + n * interval '1 hour' as at from generate_series(1, 16000) n) t`
      yield* sql`analyze surety.event, surety.operator_action`.unprepared
      // Other databases' open transactions hold back what the poll shows.
      yield* Effect.repeat(
        Effect.delay(
          Effect.flatMap(
            sql`
              select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(e.committed_by::text::bigint) as holds
              from surety.event e`,
            Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ holds: Schema.Boolean })]))
          ),
          "20 millis"
        ),
        { until: ([{ holds }]) => holds }
      )
      const none = {
        actor: undefined,
        kind: undefined,
        target: undefined,
        merchantId: undefined,
        serviceId: undefined,
        since: undefined,
        until: undefined
      }
      const limit = 20
      const readBy = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
        const count = Effect.map(
          Effect.flatMap(
            sql`
              select coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid)), 0)::integer
                as count
              from pg_class c where c.relname ~ '^(event|operator_action)_' and c.relnamespace = 'surety'::regnamespace`,
            Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ count: Schema.Int })]))
          ),
          ([{ count }]) => count
        )
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            const before = yield* count
            yield* work
            return (yield* count) - before
          })
        )
      })
      // A page of each of the partitions would be 25 × 20 rows and as many index entries.
      const most = 400
      const reads = {
        actions: yield* readBy(actions.list(none, { limit, cursor: undefined })),
        "a merchant's actions": yield* readBy(
          actions.list({ ...none, merchantId: scope.merchantId }, { limit, cursor: undefined })
        ),
        events: yield* readBy(log.list(scope, { limit, cursor: undefined })),
        poll: yield* readBy(log.follow(scope, { after: undefined, limit }))
      }
      for (const [name, count] of Object.entries(reads)) {
        assert.isAbove(count, 0, name)
        assert.isBelow(count, most, name)
      }
    })
  )
})
