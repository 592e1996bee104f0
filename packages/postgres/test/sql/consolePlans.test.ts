import * as PgClient from "@effect/sql-pg/PgClient"
import { it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { EventLog } from "@surety/core/event/EventLog"
import { Ledger } from "@surety/core/ledger/Ledger"
import { MerchantStore } from "@surety/core/merchant/MerchantStore"
import { Overview, layer as overviewLayer } from "@surety/core/overview/Overview"
import { OverviewLog } from "@surety/core/overview/OverviewLog"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Search, layer as searchLayer } from "@surety/core/search/Search"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer, Redacted } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "./TableReads.js"

/** A single connection, so that one flush of its statistics covers every read. */
const stores = Layer.mergeAll(searchLayer, overviewLayer).pipe(
  Layer.provideMerge(Layer.merge(PgStores.layer, PgMigrations.layer)),
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const copies = 40_000
const timeoutMillis = 300_000

/**
 * Limit on the rows and index entries that an operation reads across all tables. Each table has at least 40,000 rows.
 */
const mostRead = 1_000

const among = (count: number) => `md5((n % ${count})::text)::uuid`
const at = "now() - n * interval '1 minute'"

/** Fills the tables with foreign key checks off, since many of the rows reference missing records. */
const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`set session_replication_role = replica`
  for (const statement of [
    `insert into surety.consumer (environment, id, service_id, external_id, display_name, email, phone_verified, created_at)
    select 'LIVE', 'person ' || n, 'SR1-2' || translate(to_char(n, 'FM000-0000'), '0123456789', '23456789AB') || '-A',
      'crm ' || n, 'Person ' || n, 'Person' || n || '@example.com', false, ${at} from generate_series(1, ${copies}) n`,
    `insert into surety.merchant (id, business_code, name, legal_name, contact_name, contact_email, country, business_type,
      refunds_enabled, settlement_overdraft, status, created_at, updated_at)
    select surety.uuid_v7(${at}), 'code ' || n, 'Shop ' || n, '', '', '', 'NG', '', true, false, 'ACTIVE', ${at}, ${at}
    from generate_series(1, ${copies}) n`,
    `insert into surety.payment (merchant_id, environment, id, reference, method, status, currency, amount_minor,
      refunded_minor, created_at, settled_at)
    select ${among(300)}, 'LIVE', 'payment ' || n, 'order ' || n, 'WALLET', 'SETTLED', 'NGN', 100, 1, ${at}, ${at}
    from generate_series(1, ${copies}) n`,
    `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer,
      merchant_reference, amount_minor, status, created_at, completed_at)
    select surety.uuid_v7(${at}), ${among(300)}, 'LIVE', 'payment ' || n, 'key ' || n, 'f', '{}', 'return ' || n, 1,
      'COMPLETED', ${at}, ${at} from generate_series(1, ${copies}) n`,
    `insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor,
      merchant_id, payment_id, at)
    select surety.uuid_v7(${at}), 'PAYMENT', 'LIVE', 'NGN', n + 1000000, n % 100 + 2000000, 1, ${among(300)},
      'payment ' || n, ${at} from generate_series(1, ${copies}) n`,
    `insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
    select surety.uuid_v7(${at}), ${among(300)}, 'LIVE', 'refund.completed', '{}', ${at} from generate_series(1, ${copies}) n`,
    `insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at,
      fence, created_at)
    select v.id, v.id, v.merchant_id, v.merchant_id, 'LIVE', 'DELIVERED', 1, null, 1, v.occurred_at from surety.event v`,
    `insert into surety.data_request (id, merchant_id, environment, user_id, service_id, requested_fields, purpose, status,
      approved_fields, created_at, expires_at, decided_at)
    select surety.uuid_v7(${at}), ${among(300)}, 'LIVE', 'person ' || n, 'SR1-K7QM-WX4T-A', '{email}', 'p', 'APPROVED',
      '{email}', ${at}, ${at} + interval '1 day', ${at} from generate_series(1, ${copies}) n`
  ]) {
    yield* sql.unsafe(statement)
  }
  yield* sql`set session_replication_role = origin`
  for (const table of ["consumer", "merchant", "payment", "refund", "transfer", "event", "delivery", "data_request"]) {
    yield* sql.unsafe(`analyze surety.${table}`)
  }
})

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("among 40,000 of each", (it) => {
  it.effect(
    "the console's search, overview, counts and trails read few rows of any table",
    () =>
      Effect.gen(function* () {
        yield* fill
        const search = yield* Search
        const overview = yield* Overview
        const log = yield* OverviewLog
        const refunds = yield* RefundStore
        const events = yield* EventLog
        const { payment, scope } = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const merchants = yield* MerchantStore
        const ledger = yield* Ledger
        const { refund, transfer } = yield* RefundAttempt.executed(scope, payment, { amountMinor: 1n })
        const now = yield* Fresh.now
        const lines = [
          refund.id,
          scope.merchantId,
          "person 20000",
          "crm 20000",
          "Person20000@example.com",
          "Person 2000",
          "Person",
          "Shop",
          "Shop 2000",
          "order 20000",
          "return 20000",
          "payment 20000"
        ]
        const since = Fresh.later(now, -2 * 3_600_000)
        const longAgo = { since: Fresh.later(now, -20_000 * 60_000), until: Fresh.later(now, -19_900 * 60_000) }
        const all = { environment: "LIVE", status: undefined, merchantId: undefined, endpointId: undefined } as const
        yield* expectFew(
          ["consumer", "merchant", "payment", "refund", "transfer", "event", "delivery", "data_request"],
          mostRead,
          [
            ...lines.map((line) => [`a search for ${line}`, search.find("LIVE", Redacted.make(line))] as const),
            ["the overview", overview.read("LIVE")],
            ["a count of two hours", log.countHours({ since, now }, 2)],
            ["a refund's trail", refunds.trail("LIVE", refund.id)],
            ["deliveries of a time", events.listDeliveries({ ...all, ...longAgo }, { limit: 20, cursor: undefined })],
            [
              "deliveries of a topic that none is of",
              events.listDeliveries({ ...all, topic: "refund.failed" }, { limit: 20, cursor: undefined })
            ],
            ["merchants of a rare status", merchants.list({ limit: 20, cursor: undefined }, "SUSPENDED")],
            ["a transfer", ledger.transfer("LIVE", transfer.id)],
            ["how an endpoint does", events.endpointHealth(scope, Fresh.endpointId(now), now, 100)]
          ]
        )
      }),
    timeoutMillis
  )
})
