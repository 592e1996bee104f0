import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/FreshEndpoint"
import * as FreshEvent from "@surety/testing/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshMerchant from "@surety/testing/FreshMerchant"
import { TestDatabase } from "@surety/testing/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer, Schema } from "effect"

/** One connection, so that what it did can be read from its own statistics. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(RunDatabase.layer)
)

const backlog = 200_000

const Reads = Schema.Struct({ scans: Schema.BigInt, rows: Schema.BigInt, entries: Schema.BigInt })

/** How often the table of deliveries was read as a whole, and how many rows and index entries were read at all. */
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

const timeoutMillis = 120_000

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("a claim", (it) => {
  it.effect(
    "reads no more where 200,000 deliveries wait for endpoints that hang, and is not held up by them",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const start = yield* Fresh.longAgo
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const hanging = yield* Effect.replicateEffect(FreshEndpoint.make(scope, { at: start }), 4)
        yield* FreshEvent.make(scope, start)
        const merchant = toUuid(scope.merchantId)
        yield* sql.unsafe(
          `with made as (
          insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
          select merchant_id, environment, gen_random_uuid(), topic, body, occurred_at
          from surety.event, generate_series(1, ${backlog / 4}) returning id
        )
        insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts,
          next_attempt_at, fence, created_at)
        select gen_random_uuid(), made.id, e.id, $1, 'LIVE', 'PENDING', 3,
          $2::timestamptz + random() * interval '1 minute', 0, $2
        from made, surety.webhook_endpoint e`,
          [merchant, new Date(start.epochMilliseconds)]
        )
        const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
        const stuck = yield* FreshEvent.claim(asOf(2), { limit: 1_000, perEndpoint: 4 })
        assert.lengthOf(stuck, 4 * hanging.length)
        const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const sound = yield* FreshEndpoint.make(neighbour, { at: start })
        yield* FreshEvent.make(neighbour, asOf(2))
        const before = yield* reads
        const [due, ...more] = yield* FreshEvent.claim(asOf(2), { limit: 1_000, perEndpoint: 4 })
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
