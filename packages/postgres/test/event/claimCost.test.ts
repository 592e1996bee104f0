import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as Past from "@surety/testing/Past"
import { DateTime, Deferred, Effect, Fiber, Layer, Schema } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"

/** Stores over two connections, so that one claim can stay open while another runs. */
const stores = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 2 })))),
  Layer.provide(MigratedDatabase.layer)
)

const endpoints = 20_000

/** Limits on the cost of a claim while every endpoint has a pending delivery and none is due. */
const most = { buffers: 50, millis: 0.5 }

/**
 * Limit on the table and index pages that `DeliveryQueue.stats` and `dueEndpoints` may read. Every endpoint has a pending delivery, and
 * none is due.
 */
const mostForStats = 50

const timeoutMillis = 300_000

/** Creates a merchant with many endpoints, each with a delivery due an hour after the endpoints were created. */
const crowd = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const start = yield* Fresh.longAgo
  const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const event = yield* FreshEvent.make(scope, asOf(60))
  const endpoint = yield* FreshEndpoint.make(scope, { at: start })
  const first = toUuid(endpoint.id)
  yield* sql`
    insert into surety.webhook_endpoint (merchant_id, environment, id, url, topics, status, secrets, created_at, updated_at)
    select e.merchant_id, e.environment, gen_random_uuid(), e.url, e.topics, e.status, e.secrets, e.created_at, e.updated_at
    from surety.webhook_endpoint e, generate_series(1, ${endpoints - 1}::integer) where e.id = ${first}`
  yield* sql`
    insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at,
      fence, created_at)
    select gen_random_uuid(), ${toUuid(event.id)}, e.id, e.merchant_id, e.environment, 'PENDING', 0,
      ${DateTime.toDate(asOf(60))}, 0, ${DateTime.toDate(start)}
    from surety.webhook_endpoint e`
  yield* sql.unsafe("vacuum analyze")
  return { asOf }
})

const Explained = Schema.Tuple([
  Schema.Struct({
    "QUERY PLAN": Schema.Tuple([
      Schema.Struct({
        Plan: Schema.Struct({ "Shared Hit Blocks": Schema.Int, "Shared Read Blocks": Schema.Int }),
        "Execution Time": Schema.Finite
      })
    ])
  })
])

/** Measures the server's cost of one claim, including the statements inside its function. */
const claimCost = Effect.fnUntraced(function* (at: DateTime.Utc) {
  const sql = yield* PgClient.PgClient
  const claim = JSON.stringify({
    claimed_at: DateTime.formatIso(at),
    lease_until: DateTime.formatIso(Fresh.later(at, FreshEvent.minute)),
    max_deliveries: 256,
    max_per_endpoint: 64,
    failing: false,
    durable: false,
    sweep: false,
    waits: false
  })
  const rows = yield* sql`explain (analyze, buffers, format json) select * from surety.claim_deliveries(${claim}::json)`
  const [
    {
      "QUERY PLAN": [explained]
    }
  ] = yield* Schema.decodeUnknownEffect(Explained)(rows)
  return {
    buffers: explained.Plan["Shared Hit Blocks"] + explained.Plan["Shared Read Blocks"],
    millis: explained["Execution Time"]
  }
})

/** Table and index pages accessed so far, cached or not. The flush reports this connection's counts immediately. */
const pagesRead = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`select pg_stat_force_next_flush()`
  const rows = yield* sql`
    select sum(coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0) + coalesce(idx_blks_hit, 0)
      + coalesce(idx_blks_read, 0))::bigint as pages
    from pg_statio_user_tables where schemaname = 'surety'`
  const [{ pages }] = yield* Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pages: Schema.BigInt })]))(rows)
  return Number(pages)
})

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("with 20,000 endpoints", (it) => {
  it.effect(
    "a claim and the gauges read next to nothing while nothing is due; then claims work side by side",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const queue = yield* DeliveryQueue
        const { asOf } = yield* crowd
        assert.isEmpty(yield* FreshEvent.claim(asOf(1)), "and this one has noticed all that waits")

        const costs = yield* Effect.replicateEffect(claimCost(asOf(2)), 60)
        const least = costs.slice(10).reduce((a, b) => (b.millis < a.millis ? b : a))
        assert.isBelow(least.buffers, most.buffers)
        assert.isBelow(least.millis, most.millis)

        yield* Effect.replicateEffect(queue.stats(asOf(2), 10_000), 3)
        const before = yield* pagesRead
        const { lanes } = yield* queue.stats(asOf(2), 10_000)
        assert.isBelow((yield* pagesRead) - before, mostForStats)
        assert.strictEqual(lanes.steady.backlog, 0)

        yield* Effect.replicateEffect(queue.dueEndpoints(asOf(2), 100, []), 3)
        const beforeDue = yield* pagesRead
        assert.isEmpty(yield* queue.dueEndpoints(asOf(2), 100, []))
        assert.isBelow((yield* pagesRead) - beforeDue, mostForStats)
        assert.strictEqual((yield* queue.stats(asOf(60), 10_000)).lanes.steady.backlog, 10_000)

        const held = yield* Deferred.make<number>()
        const done = yield* Deferred.make<void>()
        const holder = yield* FreshEvent.claim(asOf(60), { limit: 100 }).pipe(
          Effect.tap((dues) => Deferred.succeed(held, dues.length)),
          Effect.tap(Deferred.await(done)),
          sql.withTransaction,
          Effect.forkChild
        )
        assert.strictEqual(yield* Deferred.await(held), 100)
        const beside = yield* FreshEvent.claim(asOf(60), { limit: 100 })
        assert.lengthOf(beside, 100, "while the other claim is not committed")
        yield* Deferred.succeed(done, undefined)
        const first = yield* Fiber.join(holder)
        const ids = new Set([...first, ...beside].map(({ delivery }) => delivery.id))
        assert.strictEqual(ids.size, 200, "none is with two senders")
        const again = yield* FreshEvent.claim(asOf(60.5), { limit: 200 })
        assert.isEmpty(again.filter(({ delivery }) => ids.has(delivery.id)))
      }),
    timeoutMillis
  )
})
