import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid } from "@surety/core/Ids"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as Past from "@surety/testing/Past"
import { DateTime, Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { readsOf } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const reads = readsOf(["delivery"])

const timeoutMillis = 300_000

/** More events than one step of a recovery processes. */
const missed = 5_000

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("many events", (it) => {
  it.effect(
    "are recovered however many steps they take, each once, and watching their backlog reads little of it",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const log = yield* EventLog
        const queue = yield* DeliveryQueue
        const start = yield* Fresh.longAgo
        const asOf = (minutes: number) => Fresh.later(start, minutes * FreshEvent.minute)
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        yield* FreshEvent.make(scope, start)
        yield* sql.unsafe(
          `insert into surety.event (merchant_id, environment, id, topic, body, occurred_at)
          select v.merchant_id, v.environment, surety.uuid_v7(m.at), v.topic, v.body, m.at
          from surety.event v,
            lateral (select v.occurred_at + n * interval '1 millisecond' as at from generate_series(1, $2) n) m
          where v.merchant_id = $1`,
          [toUuid(scope.merchantId), missed - 1]
        )
        const endpoint = yield* FreshEndpoint.make(scope, { at: asOf(5) })
        const range = { since: start, until: asOf(5) }
        const first = { since: start, until: DateTime.add(start, { milliseconds: 10 }) }
        assert.strictEqual(yield* log.recover(scope, endpoint.id, first, asOf(10)), 10)
        assert.strictEqual(yield* log.recover(scope, endpoint.id, range, asOf(10)), missed - 10)
        assert.strictEqual(yield* log.recover(scope, endpoint.id, range, asOf(10)), 0)
        yield* sql`analyze surety.delivery`
        const before = yield* reads
        const { backlog, dueSince } = (yield* queue.stats(asOf(11), 100)).lanes.steady
        const after = yield* reads
        assert.strictEqual(backlog, 100)
        assert.deepStrictEqual(dueSince, asOf(10))
        assert.strictEqual(after.scans - before.scans, 0n, "the table is not read as a whole")
        assert.isBelow(Number(after.rows - before.rows), 1_000)
        assert.strictEqual((yield* queue.stats(asOf(11), 10_000)).lanes.steady.backlog, missed)
      }),
    timeoutMillis
  )
})
