import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as Receipts from "@surety/core/consent/receipt/Receipts"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { MerchantId } from "@surety/core/Ids"
import * as Audits from "@surety/core/ledger/Audits"
import { Ledger } from "@surety/core/ledger/Ledger"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as Past from "@surety/testing/Past"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const copies = 20_000
const timeoutMillis = 300_000

const consents = ["consent_grant", "data_request", "verification", "consent_receipt"]

const tables = ["account", "transfer", "operator_transfer", "payment", "refund", "event", ...consents]

const audits = Audits.layer.pipe(Layer.provide(Receipts.layer), Layer.provide(Digest.layerWebCrypto))

/**
 * Inserts rows of 300 other merchants, whose consent records are about the same 1,000 people. The rows refer to records
 * that do not exist, so foreign key checks are off.
 */
const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const id = "surety.uuid_v7(now() - interval '30 days' - n * interval '1 second')"
  const merchant = "md5((n % 300)::text)::uuid"
  const person = "'person ' || n % 1000"
  const many = `generate_series(1, ${copies}) n`
  yield* sql`set session_replication_role = replica`
  for (const statement of [
    `insert into surety.account (environment, kind, currency, merchant_id, user_id, balance_minor)
    select 'LIVE', 'WALLET', 'NGN', ${merchant}, 'person ' || n, 0 from ${many}`,
    `insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor,
      merchant_id, payment_id, at)
    select ${id}, 'PAYMENT', 'LIVE', 'NGN', 50000 + n, 1000 + n % 7, 1, ${merchant}, 'payment ' || n, now() from ${many}`,
    `insert into surety.operator_transfer (id, kind, environment, currency, amount_minor, merchant_id, reason,
      idempotency_key, fingerprint, at)
    select ${id}, 'PAYOUT', 'LIVE', 'NGN', 1, ${merchant}, 'r', 'key ' || n, 'f', now() from ${many}`,
    `insert into surety.payment (merchant_id, environment, id, method, status, currency, amount_minor, refunded_minor,
      created_at, settled_at)
    select ${merchant}, 'LIVE', 'payment ' || n, 'CARD', 'SETTLED', 'NGN', 2, 1, now(), now() from ${many}`,
    `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint, amount_minor,
      status, event_id, created_at, completed_at)
    select ${id}, ${merchant}, 'LIVE', 'payment ' || n, 'key ' || n, 'f', 1, 'COMPLETED', ${id}, now(), now()
    from ${many}`,
    `insert into surety.event (id, merchant_id, environment, topic, body, occurred_at)
    select ${id}, ${merchant}, 'LIVE', 'refund.completed', '{}', now() from ${many}`,
    `insert into surety.data_request (id, merchant_id, environment, user_id, service_id, requested_fields, purpose,
      status, created_at, expires_at)
    select ${id}, ${merchant}, 'LIVE', ${person}, 's', '{email}', 'p', 'EXPIRED', now(), now() + interval '1 day'
    from ${many}`,
    `insert into surety.consent_grant (id, merchant_id, environment, user_id, service_id, fields, purpose, origin,
      granted_by_kind, status, granted_at, expires_at, event_id)
    select ${id}, ${merchant}, 'LIVE', ${person}, 's', '{email}', 'p', 'HOST', 'HOST', 'ACTIVE', now(),
      now() + interval '1 day', ${id}
    from ${many}`,
    `insert into surety.verification (id, merchant_id, environment, user_id, service_id, kind, id_hash, id_last4, status,
      first_name_result, last_name_result, date_of_birth_result, selfie_result, created_at, completed_at, fence, looks,
      consent_method, event_id)
    select ${id}, ${merchant}, 'LIVE', ${person}, v.service_id, v.kind, v.id_hash, v.id_last4, 'VERIFIED',
      v.first_name_result, v.last_name_result, v.date_of_birth_result, v.selfie_result, now() - n * interval '1 second',
      now(), 1, 0, v.consent_method, ${id}
    from (select * from surety.verification limit 1) v, ${many}`,
    `insert into surety.consent_receipt (id, merchant_id, environment, user_id, sequence, body, previous_hash, hash)
    select ${id}, ${merchant}, 'LIVE', ${person}, n + 1, 'text', md5(n::text),
      surety.receipt_hash(md5(n::text), 'text')
    from ${many}`
  ]) {
    yield* sql.unsafe(statement)
  }
  yield* sql`set session_replication_role = origin`
  for (const table of tables) yield* sql.unsafe(`analyze surety.${table}`)
})

const auditOf = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const ledger = yield* Ledger
  let place: string | undefined
  do {
    const step = Option.getOrThrow(yield* ledger.auditMerchant(merchantId, place))
    assert.deepStrictEqual(step.faults, [])
    place = step.next
  } while (place !== undefined)
})

/**
 * Limit on the rows and index entries read by an audit of one merchant, or of new consent records. Each table has
 * 20,000 rows.
 */
const mostRead = 300

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("among 20,000 of each", (it) => {
  it.effect(
    "the audit of a merchant reads its rows by an index, and no other merchant's",
    () =>
      Effect.gen(function* () {
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const sale = yield* FreshPayment.settled({ scope, amountMinor: 10_000n })
        yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 100n })
        for (const verdict of [ConsentAttempt.approveAll, ConsentAttempt.deny]) {
          const { request } = yield* ConsentAttempt.askedAnew(scope, sale.consumer)
          yield* ConsentAttempt.decided(request.id, verdict)
        }
        yield* FreshVerification.make({ scope })
        yield* fill
        yield* expectFew(tables, mostRead, [["the audit", auditOf(scope.merchantId)]])
      }),
    timeoutMillis
  )

  it.effect(
    "a night reads records of consent that are new, and none of those before",
    () =>
      Effect.gen(function* () {
        const { consumer, scope } = yield* FreshConsent.parties("LIVE")
        const night = Effect.flatMap(Audits.Audits, ({ run }) => run("ada", { wholeUpTo: 0n })).pipe(
          Effect.provide(audits)
        )
        const sql = yield* PgClient.PgClient
        yield* sql`
          insert into surety.verified_point (epoch, through, transfers)
          select epoch, pg_current_xact_id()::text::bigint, ${copies}::integer from surety.event_order`
        yield* ConsentAttempt.given(scope, consumer)
        const { isWhole } = yield* night
        assert.isFalse(isWhole)
        yield* expectFew(consents, mostRead, [["the night", night]])
      }),
    timeoutMillis
  )
})
