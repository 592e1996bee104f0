import * as PgClient from "@effect/sql-pg/PgClient"
import { it } from "@effect/vitest"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { EventLog } from "@surety/core/event/EventLog"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import type { Page, PageRequest } from "@surety/core/Page"
import { RequestStore } from "@surety/core/request/RequestStore"
import type { StoreError } from "@surety/core/StoreError"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Layer } from "effect"
import { expectFew } from "./TableReads.js"

/** One connection, so that what it did can be read from its own statistics. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(RunDatabase.layer)
)

const copies = 40_000
const timeoutMillis = 300_000

/** What a list may read of tables that have 40,000 rows each, where it answers at most 20. */
const mostRead = 400

/**
 * Runs them without the rules that would check what the copies name, and without triggers. One transaction each, since a long
 * one blocks other tests' reads.
 */
const unchecked = Effect.fnUntraced(function* (statements: ReadonlyArray<string>, tables: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  yield* sql`set session_replication_role = replica`
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* sql`set session_replication_role = origin`
  for (const table of tables) yield* sql.unsafe(`analyze surety.${table}`)
})

type List = (page: PageRequest) => Effect.Effect<Page<unknown>, StoreError>

/** The list's first page and the one behind it. */
const twoPages = (name: string, list: List) => {
  const limit = 20
  const second = Effect.flatMap(list({ limit, cursor: undefined }), ({ nextCursor }) =>
    nextCursor === undefined ? Effect.void : list({ limit, cursor: nextCursor })
  )
  return [name, second] as const
}

const among = (count: number) => `md5((n % ${count})::text)::uuid`

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("among 40,000 of each", (it) => {
  it.effect(
    "a merchant's linked consumers are found by an index",
    () =>
      Effect.gen(function* () {
        const consumers = yield* ConsumerStore
        const { merchantId } = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        yield* unchecked(
          [
            `insert into surety.consumer (environment, id, service_id, phone_verified, created_at)
            select 'LIVE', 'person ' || n,
              'SR1-2' || translate(to_char(n, 'FM000-0000'), '0123456789', '23456789AB') || '-A', false, now() from generate_series(1, ${copies}) n`,
            `insert into surety.consumer_link (merchant_id, environment, user_id, created_at)
            select case when n % 10 = 0 then (select id from surety.merchant limit 1) else ${among(20)} end, 'LIVE',
              'person ' || n, now() - n * interval '1 second'
            from generate_series(1, ${copies}) n`
          ],
          ["consumer", "consumer_link"]
        )
        const list = (page: PageRequest) => consumers.listLinked(merchantId, "LIVE", page)
        yield* expectFew(["consumer", "consumer_link"], mostRead, [twoPages("links", list)])
      }),
    timeoutMillis
  )

  it.effect(
    "deliveries are found by an index, in either environment and of whatever status, merchant or endpoint",
    () =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const now = yield* Fresh.now
        const sold = Effect.fnUntraced(function* (environment: Environment) {
          const scope: MerchantScope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), environment)
          const endpoint = yield* FreshEndpoint.make(scope)
          for (const age of Array.from({ length: 30 }, (_, index) => index)) {
            yield* FreshEvent.make(scope, Fresh.later(now, -1_000_000 - age))
          }
          return { ...scope, endpointId: endpoint.id }
        })
        // Older than nearly all of the copies.
        const [live, test] = [yield* sold("LIVE"), yield* sold("TEST")]
        const at = "now() - n * interval '10 milliseconds'"
        yield* unchecked(
          [
            `insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
            select surety.uuid_v7(${at}), ${among(300)}, 'LIVE', 'refund.completed', '{}', ${at}
            from generate_series(1, ${copies}) n`,
            `insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts,
              next_attempt_at, fence, created_at)
            select v.id, v.id, v.merchant_id, v.merchant_id, 'LIVE', 'DELIVERED', 1, null, 1, v.occurred_at
            from surety.event v where v.body = '{}'`
          ],
          ["event", "delivery", "webhook_endpoint"]
        )
        const all = { environment: "LIVE", status: undefined, merchantId: undefined, endpointId: undefined } as const
        const { endpointId, merchantId } = live
        const filters = {
          all: all,
          "the sandbox's": { ...all, environment: "TEST" },
          pending: { ...all, status: "PENDING" },
          failed: { ...all, status: "FAILED" },
          delivered: { ...all, status: "DELIVERED" },
          "the sandbox's pending": { ...all, environment: "TEST", status: "PENDING" },
          "a merchant's": { ...all, merchantId },
          "a merchant's pending": { ...all, merchantId, status: "PENDING" },
          "an endpoint's": { ...all, endpointId },
          "an endpoint's in the sandbox": { ...all, environment: "TEST", endpointId: test.endpointId },
          "an endpoint's failed": { ...all, merchantId, endpointId, status: "FAILED" }
        } as const
        yield* expectFew(
          ["event", "delivery"],
          mostRead,
          Object.entries(filters).map(([name, filter]) => twoPages(name, (page) => log.listDeliveries(filter, page)))
        )
      }),
    timeoutMillis
  )

  it.effect(
    "a merchant's requests are found by an index, by status and route too",
    () =>
      Effect.gen(function* () {
        const store = yield* RequestStore
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
        yield* unchecked(
          [
            `insert into surety.request_entry (merchant_id, environment, api_key_id, key_last4, method, route, status,
              request_id, at)
            select case when n % 3 = 0 then ${among(20)} else (select id from surety.merchant order by id desc limit 1) end,
              case when n % 2 = 0 then 'TEST' else 'LIVE' end, ${among(20)}, 'x7Qa', 'GET',
              case when n % 400 = 0 then '/v1/refunds/:refundId' else '/v1/whoami' end,
              case when n % 200 = 0 then 409 else 200 end, 'request ' || n, now() - n * interval '1 second'
            from generate_series(1, ${copies}) n`
          ],
          ["request_entry"]
        )
        const all = { status: undefined, route: undefined }
        const filters = {
          all,
          "a status": { ...all, status: 409 },
          "a route": { ...all, route: "/v1/refunds/:refundId" },
          both: { status: 409, route: "/v1/refunds/:refundId" },
          none: { ...all, status: 503 }
        }
        yield* expectFew(
          ["request_entry"],
          mostRead,
          Object.entries(filters).map(([name, filter]) => twoPages(name, (page) => store.list(scope, filter, page)))
        )
      }),
    timeoutMillis
  )
})
