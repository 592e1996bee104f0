import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
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
import { DateTime, Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const minute = 60_000
const hour = 60 * minute
const earlier = 40_000

/**
 * Limit on the rows and index entries that a recovery may read. The backlog has an event every second, so reading an
 * hour of it exceeds the limit.
 */
const mostRead = 1_000

it.layer(stores, { timeout: 120_000, excludeTestServices: true })("a recovery of the last minutes", (it) => {
  it.effect("reads none of the hours before them, and finds an expiry dated back by a late worker", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const log = yield* EventLog
      const now = yield* Fresh.now
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const backlog = `insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
        select surety.uuid_v7(at), '${toUuid(scope.merchantId)}', 'LIVE', 'refund.completed', '{}', at
        from (select now() - interval '11 minutes' - n * interval '1 second' as at from generate_series(1, ${earlier}) n) n`
      yield* sql.unsafe(backlog).unprepared
      yield* sql`analyze surety.event`.unprepared
      const late = yield* FreshEvent.make(scope, Fresh.later(now, -minute))
      const due = Fresh.later(now, -20 * hour)
      yield* sql`update surety.event set occurred_at = ${DateTime.toDate(due)} where id = ${toUuid(late.id)}`
      yield* FreshEvent.make(scope, Fresh.later(now, -minute))
      const endpoint = yield* FreshEndpoint.make(scope)

      const recent = { since: Fresh.later(now, -2 * minute), until: now }
      const around = { since: Fresh.later(due, -1), until: Fresh.later(due, 1) }
      assert.strictEqual(yield* log.recover(scope, endpoint.id, around, now), 0)
      assert.strictEqual(yield* log.recover(scope, endpoint.id, recent, now), 2)
      yield* expectFew(["event"], mostRead, [["recover", log.recover(scope, endpoint.id, recent, now)]])
    })
  )
})
