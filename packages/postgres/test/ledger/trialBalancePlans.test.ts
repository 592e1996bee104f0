import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const copies = 20_000
const timeoutMillis = 120_000

/** Inserts accounts and verified transfers with foreign key checks off. Then records one unverified payment. */
const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`set session_replication_role = replica`
  yield* sql.unsafe(`
    insert into surety.account (environment, kind, currency, user_id, balance_minor)
    select 'LIVE', 'WALLET', 'NGN', 'person ' || n, 0 from generate_series(1, ${copies}) n`)
  yield* sql.unsafe(`
    insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor,
      merchant_id, payment_id, at, committed_by)
    select surety.uuid_v7(now() - n * interval '1 second'), 'PAYMENT', 'LIVE', 'NGN', n, n + 1, 1, gen_random_uuid(),
      'payment ' || n, now(), 1 from generate_series(1, ${copies}) n`)
  yield* sql`set session_replication_role = origin`
  yield* sql`
    insert into surety.verified_point (epoch, through, transfers)
    select epoch, pg_current_xact_id()::text::bigint, ${copies}::integer from surety.event_order`
  yield* FreshPayment.settled({ amountMinor: 1_000n })
  for (const table of ["account", "transfer"]) yield* sql.unsafe(`vacuum analyze surety.${table}`)
})

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("among 20,000 accounts", (it) => {
  it.effect(
    "the trial balance reads the accounts of transfers that are not verified, and no others",
    () =>
      Effect.gen(function* () {
        yield* fill
        const ledger = yield* Ledger
        assert.isNotEmpty(yield* ledger.trialBalance)
        yield* expectFew(["account"], 60, [["the trial balance", ledger.trialBalance]])
      }),
    timeoutMillis
  )
})
