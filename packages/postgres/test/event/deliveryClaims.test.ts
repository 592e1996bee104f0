import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { DeliveryQueue, type LeasedDelivery } from "@surety/core/event/DeliveryQueue"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as TestDatabase from "@surety/testing/machine/TestDatabase"
import * as TestPostgres from "@surety/testing/machine/TestPostgres"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as Past from "@surety/testing/Past"
import { DateTime, Effect, Layer, Schema } from "effect"

/**
 * Stores over a single connection, so that one flush of its statistics covers every read. Uses a separate server,
 * since other tests' transactions would keep index entries of dead rows from being marked dead.
 */
const stores = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(
    Layer.unwrap(Effect.map(TestDatabase.TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))
  ),
  Layer.provide(TestDatabase.layer),
  Layer.provide(TestPostgres.layer)
)

/** Number of waiting deliveries. A plan that reads them all exceeds the test's limits at least sixtyfold. */
const waiting = 60_000

const many = 60_000

/**
 * Limit on the index pages that `deliverTen` reads. It reads about 450. A plan that scans an index of 60,000 entries,
 * up to 300 a page, reads at least 200 more.
 */
const mostPages = 500

const perEndpoint = 4

const steps = 10

/** Runs an effect with foreign key checks off. Switching them off or on also discards the connection's cached plans. */
const unchecked = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`set session_replication_role = replica`
    const made = yield* effect
    yield* sql`set session_replication_role = origin`
    return made
  })

/**
 * Inserts a backlog across the merchant's endpoints in ten statements, due at most four seconds after `dueAt`. The
 * deliveries have no events, since no test claims them.
 */
const fill = Effect.fnUntraced(function* ({ merchantId }: MerchantScope, dueAt: DateTime.Utc, backlog: number) {
  const sql = yield* PgClient.PgClient
  for (let step = 0; step < steps; step++) {
    yield* sql.unsafe(
      `insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts,
        next_attempt_at, fence, created_at)
      select numbered.id, numbered.id, e.id, e.merchant_id, e.environment, 'PENDING', 3,
        $2::timestamptz + n * interval '60 microseconds', 0, $2
      from generate_series($3::integer, $4::integer) n
      cross join lateral (select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id) numbered
      join (
        select *, row_number() over (order by id) - 1 as place, count(*) over () as count
        from surety.webhook_endpoint where merchant_id = $1
      ) e on e.place = n % e.count`,
      [toUuid(merchantId), DateTime.toDate(dueAt), (step * backlog) / steps, ((step + 1) * backlog) / steps - 1]
    )
  }
})

const Indexes = Schema.Array(Schema.Struct({ name: Schema.String, definition: Schema.String }))

/**
 * Drops the delivery table's indexes that no constraint needs, runs `work`, then rebuilds the indexes. This is faster
 * than maintaining them while many rows are inserted.
 */
const withIndexesBehind = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'surety' and tablename = 'delivery'
      and indexname not in (select conname from pg_constraint where conrelid = 'surety.delivery'::regclass)`
  const indexes = yield* Schema.decodeUnknownEffect(Indexes)(rows)
  assert.isAtLeast(indexes.length, 4)
  for (const { name } of indexes) yield* sql.unsafe(`drop index surety.${name}`)
  yield* work
  for (const { definition } of indexes) yield* sql.unsafe(definition)
})

const Reads = Schema.Struct({ scans: Schema.BigInt, rows: Schema.BigInt, entries: Schema.BigInt })

const reads = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`select pg_stat_force_next_flush()`
  const rows = yield* sql`
    select t.seq_scan as scans, t.idx_tup_fetch + t.seq_tup_read as rows,
      (select sum(idx_tup_read)::bigint from pg_stat_user_indexes where relid = t.relid) as entries
    from pg_stat_user_tables t where t.relid = 'surety.delivery'::regclass`
  const [row] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Reads]))(rows)
  return row
})

const indexPagesRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`select pg_stat_force_next_flush()`
  const rows = yield* sql`
    select sum(idx_blks_hit + idx_blks_read)::bigint as pages from pg_statio_user_indexes where schemaname = 'surety'`
  const [{ pages }] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pages: Schema.BigInt })]))(rows)
  return Number(pages)
})

const timeoutMillis = 300_000

const deliverTen = Effect.fnUntraced(function* (at: DateTime.Utc) {
  const queue = yield* DeliveryQueue
  const dues = yield* FreshEvent.claim(at, { limit: 10, perEndpoint: 10 })
  const record = (due: LeasedDelivery) => queue.settle(due, FreshEvent.attemptOf(due, at), { _tag: "Delivered" })
  yield* Effect.forEach(dues, record, { concurrency: "unbounded", discard: true })
  return dues.length
})

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("a claim", (it) => {
  it.effect(
    "and the record of what it took read neither what else waits nor what was delivered before",
    () =>
      Effect.gen(function* () {
        const start = yield* Fresh.longAgo
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        yield* FreshEndpoint.make(scope, { at: start })
        const at = Fresh.later(start, FreshEvent.minute)
        const turn = Effect.gen(function* () {
          const before = yield* reads
          assert.strictEqual(yield* deliverTen(at), 10)
          return Number((yield* reads).entries - before.entries)
        })
        const most = 300
        const mean = Effect.gen(function* () {
          yield* Effect.replicateEffect(FreshEvent.make(scope, start), 400)
          const read = yield* Effect.replicateEffect(turn, 40)
          return read.reduce((total, entries) => total + entries, 0) / read.length
        })
        // While the server analyzes a table, dead index entries cannot be marked, so one success in three is enough.
        const read = yield* Effect.repeat(mean, { until: (entries) => entries < most, times: 2 })
        assert.isBelow(read, most, "index entries that a claim and a record of ten read")
      }),
    timeoutMillis
  )

  it.effect(
    "reads no more while 60,000 deliveries wait for hanging endpoints, and is not held up by them",
    () =>
      Effect.gen(function* () {
        const start = yield* Fresh.longAgo
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const hanging = yield* Effect.replicateEffect(FreshEndpoint.make(scope, { at: start }), 4)
        yield* Effect.replicateEffect(FreshEvent.make(scope, start), perEndpoint)
        yield* withIndexesBehind(unchecked(fill(scope, Fresh.later(start, FreshEvent.minute), waiting)))
        const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
        const stuck = yield* FreshEvent.claim(asOf(3), { limit: 1_000, perEndpoint })
        assert.lengthOf(stuck, perEndpoint * hanging.length)
        const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const sound = yield* FreshEndpoint.make(neighbour, { at: start })
        yield* FreshEvent.make(neighbour, asOf(3))
        const before = yield* reads
        const [due, ...more] = yield* FreshEvent.claim(asOf(3), { limit: 1_000, perEndpoint })
        const after = yield* reads
        assert.strictEqual(due?.endpoint.id, sound.id, "the newest, behind everything that is due longer")
        assert.isEmpty(more)
        assert.strictEqual(after.scans - before.scans, 0n, "the table is not read as a whole")
        assert.isBelow(Number(after.rows - before.rows), 500)
        assert.isBelow(Number(after.entries - before.entries), 1_000)
      }),
    timeoutMillis
  )
})

for (const [when, analyzed] of [
  ["before there were statistics", false],
  ["by statistics of very little", true]
] as const)
  it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })(`a claim that was planned ${when}`, (it) => {
    it.effect(
      "reads no more once much waits, has happened and is sent at a rate",
      () =>
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          const start = yield* Fresh.longAgo
          const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
          const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
          yield* FreshEndpoint.make(scope, { at: start, maxPerSecond: 10 })
          const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
          yield* FreshEndpoint.make(other, { at: start })
          // Disables autovacuum, since new statistics would trigger a new plan.
          for (const table of ["delivery", "event", "endpoint_claim"]) {
            yield* sql.unsafe(`alter table surety.${table} set (autovacuum_enabled = off)`)
          }
          yield* Effect.replicateEffect(FreshEvent.make(scope, start), 20)
          yield* deliverTen(start)
          if (analyzed) yield* sql`analyze`
          assert.strictEqual(yield* deliverTen(asOf(0.5)), 10)
          yield* fill(other, asOf(60), many)
          const happened = yield* FreshEvent.make(scope, asOf(1))
          yield* sql`
          insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
          select v.merchant_id, v.environment, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, v.topic,
            v.body, v.occurred_at
          from surety.event v, generate_series(1, ${many}::integer) n where v.id = ${toUuid(happened.id)}`
          yield* sql`
          insert into surety.endpoint_claim (endpoint_id, at, count)
          select gen_random_uuid(), ${DateTime.toDate(start)}, 1 from generate_series(1, ${many}::integer)`
          yield* Effect.replicateEffect(FreshEvent.make(scope, asOf(1)), 9)
          const before = yield* indexPagesRead
          assert.strictEqual(yield* deliverTen(asOf(2)), 10)
          assert.isBelow((yield* indexPagesRead) - before, mostPages)
        }).pipe(unchecked),
      timeoutMillis
    )
  })
