import * as PgClient from "@effect/sql-pg/PgClient"
import { it } from "@effect/vitest"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { type ConsumerFilter, ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import type { Environment } from "@surety/core/Environment"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { EventLog } from "@surety/core/event/EventLog"
import { toUuid, UserId } from "@surety/core/Ids"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { type OperatorActionFilter, OperatorActionStore } from "@surety/core/operator/OperatorActionStore"
import type { Page, PageRequest } from "@surety/core/Page"
import { type RefundFilter, RefundStore } from "@surety/core/refund/RefundStore"
import { RequestStore } from "@surety/core/request/RequestStore"
import type { StoreError } from "@surety/core/StoreError"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshEvent from "@surety/testing/event/FreshEvent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer, Redacted } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "./TableReads.js"

/** A single connection, so that one flush of its statistics covers every read. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const copies = 40_000
const timeoutMillis = 300_000

/** Limit on the rows and index entries read for a list's first two pages together. A page has at most 20 rows. */
const mostRead = 400

/**
 * Runs the statements without triggers and foreign key checks, then analyzes the tables. Each statement is its own
 * transaction, since a long one would delay the events that other tests read.
 */
const unchecked = Effect.fnUntraced(function* (statements: ReadonlyArray<string>, tables: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  yield* sql`set session_replication_role = replica`
  for (const statement of statements) yield* sql.unsafe(statement)
  yield* sql`set session_replication_role = origin`
  for (const table of tables) yield* sql.unsafe(`analyze surety.${table}`)
})

type List = (page: PageRequest) => Effect.Effect<Page<unknown>, StoreError>

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
    "deliveries are found by an index, in either environment and of any status, merchant or endpoint",
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
        // The events of these merchants are older than all copies.
        const [live, test] = [yield* sold("LIVE"), yield* sold("TEST")]
        const at = "now() - n * interval '10 milliseconds'"
        const isBacklog = "v.occurred_at > now() - interval '40 seconds'"
        yield* unchecked(
          [
            `insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
            select surety.uuid_v7(${at}), ${among(300)}, 'LIVE', 'refund.completed', '{}', ${at}
            from generate_series(1, ${copies}) n`,
            `insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts,
              next_attempt_at, fence, created_at)
            select v.id, v.id, v.merchant_id, v.merchant_id, 'LIVE', case when ${isBacklog} then 'PENDING' else 'DELIVERED' end,
              1, case when ${isBacklog} then now() end, 1, v.occurred_at
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
    "consumers are found by an index of external id, user id and e-mail address",
    () =>
      Effect.gen(function* () {
        const consumers = yield* ConsumerStore
        yield* unchecked(
          [
            `insert into surety.consumer (environment, id, service_id, external_id, email, phone_verified, created_at)
            select 'TEST', 'found ' || n, 'SR1-3' || translate(to_char(n, 'FM000-0000'), '0123456789', '23456789AB') || '-A',
              'crm ' || n, 'Person' || n || '@example.com', false, now() from generate_series(1, ${copies}) n`
          ],
          ["consumer"]
        )
        const filters: Record<string, ConsumerFilter> = {
          all: {},
          "an external id's": { externalId: "crm 20000" },
          "a user's": { userId: UserId.make("found 20000") },
          "an address's": { email: Redacted.make("person20000@EXAMPLE.com") }
        }
        yield* expectFew(
          ["consumer"],
          mostRead,
          Object.entries(filters).map(([name, filter]) =>
            twoPages(name, (page) => consumers.list("TEST", page, filter))
          )
        )
      }),
    timeoutMillis
  )

  it.effect(
    "operators' actions are found by an index under any filter",
    () =>
      Effect.gen(function* () {
        const actions = yield* OperatorActionStore
        const { merchantId } = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        yield* unchecked(
          [
            `insert into surety.operator_action (id, actor, kind, target, merchant_id, service_id, changes, at)
            select surety.uuid_v7(now()), 'actor ' || n % 2000, case when n % 2000 = 0 then 'grant.revoked' else
              'payment.recorded' end, 'target ' || n, case when n % 2000 = 0 then '${toUuid(merchantId)}' else
              ${among(300)} end, case when n % 2000 = 7 then 'SR1-K7QM-WX4T-A' end, '[]',
              now() - n * interval '1 minute' from generate_series(1, ${copies}) n`
          ],
          ["operator_action"]
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
        const long = Fresh.later(yield* Fresh.now, -30_000 * 60_000)
        const filters: Record<string, OperatorActionFilter> = {
          all: none,
          "an actor's": { ...none, actor: "actor 5" },
          "a kind's": { ...none, kind: "grant.revoked" },
          "a target's": { ...none, target: "target 20000" },
          "a merchant's": { ...none, merchantId },
          "a person's": { ...none, serviceId: ConsumerId.make("SR1-K7QM-WX4T-A") },
          "long ago": { ...none, until: long },
          "since long ago": { ...none, since: long }
        }
        yield* expectFew(
          ["operator_action"],
          mostRead,
          Object.entries(filters).map(([name, filter]) => twoPages(name, (page) => actions.list(filter, page)))
        )
      }),
    timeoutMillis
  )

  it.effect(
    "refunds of all merchants and an account's postings are found by an index",
    () =>
      Effect.gen(function* () {
        const refunds = yield* RefundStore
        const ledger = yield* Ledger
        const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
        const { refund } = yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 1n })
        const at = "now() - n * interval '1 minute'"
        const owner = `case when n % 2 = 0 then '${toUuid(sale.scope.merchantId)}' else ${among(300)} end`
        yield* unchecked(
          [
            `insert into surety.payment (merchant_id, environment, id, reference, method, status, currency, amount_minor,
              refunded_minor, created_at, settled_at)
            select ${owner}, 'LIVE', 'payment ' || n, 'order ' || n, 'WALLET', 'SETTLED', 'NGN', 100, 1, ${at}, ${at}
            from generate_series(1, ${copies}) n`,
            `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer,
              amount_minor, status, created_at, completed_at)
            select surety.uuid_v7(${at}), ${owner}, 'LIVE', 'payment ' || n, 'key ' || n, 'f', '{}', 1,
              'COMPLETED', ${at}, ${at} from generate_series(1, ${copies}) n`,
            `insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id,
              amount_minor, merchant_id, payment_id, at)
            select surety.uuid_v7(${at}), 'PAYMENT', 'LIVE', 'NGN', n + 1000000, n % 100 + 2000000, 1, ${among(300)},
              'payment ' || n, ${at} from generate_series(1, ${copies}) n`,
            // Ten wallet rows for each person, at different merchants. Only a person's first row has `opens_account`.
            `insert into surety.account (environment, kind, currency, merchant_id, user_id, balance_minor, opens_account)
            select 'LIVE', 'WALLET', 'NGN', surety.uuid_v7(${at}), 'person ' || n % 4000, 1, n < 4000
            from generate_series(0, ${copies} - 1) n`
          ],
          ["payment", "refund", "transfer", "account"]
        )
        const all = {
          environment: "LIVE" as const,
          merchantId: undefined,
          status: undefined,
          paymentId: undefined,
          reference: undefined,
          since: undefined,
          until: undefined
        }
        const long = Fresh.later(yield* Fresh.now, -30_000 * 60_000)
        const filters: Record<string, RefundFilter> = {
          all,
          "the sandbox's": { ...all, environment: "TEST" },
          "a merchant's": { ...all, merchantId: sale.scope.merchantId },
          "a payment's": { ...all, paymentId: refund.paymentId },
          "a reference's": { ...all, reference: "order 20000" },
          failed: { ...all, status: "FAILED" },
          pending: { ...all, status: "PENDING" },
          completed: { ...all, status: "COMPLETED" },
          "long ago": { ...all, until: long },
          "since long ago": { ...all, since: long }
        }
        yield* expectFew(["refund", "payment"], mostRead, [
          ...Object.entries(filters).map(([name, filter]) => twoPages(name, (page) => refunds.listAll(filter, page))),
          ...[undefined, refund.paymentId].map((paymentId) =>
            twoPages(`a merchant reads ${paymentId}`, (page) => refunds.list(sale.scope, { paymentId }, page))
          )
        ])
        yield* expectFew(["transfer"], mostRead, [
          twoPages("a wallet's postings", (page) => ledger.postings(FreshPayment.walletAccount(sale), page))
        ])
        // The two pages sum the rows of 42 wallets. Each wallet's ten rows are read twice, each time from the index and
        // from the table.
        yield* expectFew(["account"], 42 * 10 * 4 + mostRead, [
          twoPages("the balances of wallets", (page) => ledger.balances("LIVE", page))
        ])
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
