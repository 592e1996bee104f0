import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import { OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import { monthsAhead, worker } from "@surety/core/retention/Partitions"
import * as PgPartitions from "@surety/postgres/PgPartitions"
import * as PgRoles from "@surety/postgres/PgRoles"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { DateTime, Effect, Layer, Metric, Schema } from "effect"
import { fillEvents, limit, underLoad } from "../EventLoad.js"
import { inOneOfThree } from "../inOneOfThree.js"
import * as MigratedDatabase from "../MigratedDatabase.js"
import * as PartitionedStores from "./PartitionedStores.js"

const client = Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 4 })))

/** Number of rows in the partitioned table. Before a release, run this test with `PARTITION_ROWS=2000000`. */
const rowCount = Number(process.env.PARTITION_ROWS ?? "20000")

for (const [table, ...before] of [["event"], ["delivery", "event"]] as const) {
  it.live(
    `no write waits ${limit} while ${table} is partitioned, of ${rowCount} rows, with a report running now and then`,
    () =>
      Effect.gen(function* () {
        yield* fillEvents(rowCount)
        const partitions = yield* PgPartitions.make
        yield* Effect.forEach(before, partitions.partition, { discard: true })
        const { cancelled, during, written } = yield* underLoad(partitions.partition(table))
        assert.strictEqual(cancelled, 0, "writes that waited too long")
        assert.isAbove(during, 0)
        const sql = yield* PgClient.PgClient
        const [counted] = yield* sql`select count(*)::integer as count from ${sql.literal(`surety.${table}`)}`
        // Up to four writes that were interrupted at the end may still have committed.
        assert.isAtLeast(Number(counted?.count), rowCount + written)
        assert.isAtMost(Number(counted?.count), rowCount + written + 4)
        assert.lengthOf(yield* sql`select 1 from pg_constraint k where not k.convalidated`, 0)
      }).pipe(Effect.provide(Layer.fresh(Layer.provideMerge(client, MigratedDatabase.layer))), inOneOfThree),
    120_000
  )
}

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
      yield* PgRoles.grant(yield* RunDatabase.makeServingRole)
      const last = yield* Effect.flatMap(
        sql`select c.relname as name from pg_class c where c.relispartition and c.relkind = 'r'
          and c.relname ~ '^event_[0-9]' order by 1 desc limit 1`,
        Schema.decodeUnknownEffect(Told)
      )
      const gone = last[0]?.name ?? assert.fail("there is no month ahead")
      const months = ["event", "delivery", "delivery_attempt"].map((table) => [table, gone.replace("event", table)])
      for (const [table, month] of months.toReversed()) {
        yield* sql.unsafe(`alter table surety.${table} detach partition surety.${month}`)
        yield* sql.unsafe(`drop table surety.${month}`)
      }
      yield* Effect.gen(function* () {
        assert.deepStrictEqual(yield* PgRoles.lackedRights, [])
        assert.deepStrictEqual((yield* PgRoles.serverRights).excess, [])
        yield* worker.round
        assert.strictEqual((yield* Metric.value(monthsAhead)).value, 3)
        for (const [, month = ""] of months) {
          const made = yield* (yield* PgClient.PgClient)`
            select 1 from pg_class where relname = ${month} and relispartition`
          assert.lengthOf(made, 1, month)
        }
        for (const statement of [
          "create table surety.event_2031_01 ()",
          "select surety.make_partition('surety.event'::regclass, '2031-01-01T00:00:00Z')",
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
              Layer.provideMerge(PgClient.layer({ url: RunDatabase.asServing(url), maxConnections: 2 }))
            )
          )
        )
      )
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
      // Two years of monthly partitions.
      yield* sql`
        do $$ declare month timestamptz; parent text; begin
          foreach parent in array array['delivery_attempt', 'delivery', 'event', 'operator_action'] loop
            execute format('alter table surety.%I detach partition surety.%I', parent, parent || '_first');
          end loop;
          for month in select m from generate_series('2024-01-01'::timestamptz, '2025-12-01', '1 month') m loop
            perform surety.make_partition('surety.event'::regclass, month);
            perform surety.make_partition('surety.delivery'::regclass, month);
            perform surety.make_partition('surety.operator_action'::regclass, month);
          end loop;
        end $$`.unprepared
      const hours = sql`select '2024-01-02'::timestamptz + n * interval '1 hour' as at from generate_series(1, 16000) n`
      yield* sql`
        insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
        select surety.uuid_v7(t.at), ${uuid}, 'LIVE', 'refund.completed', '{}', t.at from (${hours}) t`
      yield* sql`
        insert into surety.webhook_endpoint
          (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
        values (${uuid}, 'LIVE', ${uuid}, 'https://shop.example/', '{refund.completed}', 'ENABLED', '[]', now(), now())`
      yield* sql`
        insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, fence, created_at)
        select surety.delivery_id(v.id, ${uuid}), v.id, ${uuid}, ${uuid}, 'LIVE', 'DELIVERED', 1, 1, v.occurred_at
        from surety.event v where v.merchant_id = ${uuid}`
      yield* sql`
        insert into surety.operator_action (id, actor, kind, target, merchant_id, changes, at)
        select surety.uuid_v7(t.at), 'ada', 'grant.revoked', 'x', ${uuid}, '[]', t.at from (${hours}) t`
      yield* sql`analyze surety.event, surety.delivery, surety.operator_action`.unprepared
      // Waits until open transactions in other databases no longer delay the events that the poll returns.
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
              from pg_class c where c.relname ~ '^(event|delivery|operator_action)_' and c.relnamespace = 'surety'::regnamespace`,
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
      const {
        data: [old = assert.fail("there are events")]
      } = yield* log.list(scope, { limit, cursor: undefined })
      const now = yield* DateTime.now
      const claim = Effect.map(FreshEvent.claim(Fresh.later(now, FreshEvent.minute)), (dues) =>
        assert.deepStrictEqual(
          dues.map(({ event }) => event.id),
          [old.id]
        )
      )
      // A plan that reads a page of 20 rows from each of the 22 months with rows would exceed this limit.
      const most = 400
      const reads = {
        actions: yield* readBy(actions.list(none, { limit, cursor: undefined })),
        "a merchant's actions": yield* readBy(
          actions.list({ ...none, merchantId: scope.merchantId }, { limit, cursor: undefined })
        ),
        events: yield* readBy(log.list(scope, { limit, cursor: undefined })),
        "an event's deliveries": yield* readBy(log.deliveries(scope, old.id)),
        resend: yield* readBy(log.resend(scope, old.id, undefined, now)),
        claim: yield* readBy(claim),
        poll: yield* readBy(log.follow(scope, { after: undefined, limit }))
      }
      for (const [name, count] of Object.entries(reads)) {
        assert.isAbove(count, 0, name)
        assert.isBelow(count, most, name)
      }
    })
  )
})
