import { NodeCrypto } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { refundCompletedText } from "@surety/core/event/EventPayload"
import { toUuid } from "@surety/core/Ids"
import { Responses } from "@surety/core/idempotency/Responses"
import { parseRefund } from "@surety/core/refund/RefundCommand"
import * as Refunds from "@surety/core/refund/Refunds"
import * as Keyring from "@surety/core/secret/Keyring"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import { responses } from "@surety/testing/Responses"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"

/**
 * Responds with the payload of the refund's event, like the API for a refund without items. The refund's row therefore
 * does not store the response.
 */
const likeInterface = Layer.succeed(Responses, { ...responses, refund: refundCompletedText })

const services = Refunds.layer.pipe(
  Layer.provide([likeInterface, Keyring.layer([Redacted.make(new Uint8Array(32).fill(7))])]),
  Layer.provide(NodeCrypto.layer),
  Layer.provideMerge(Layer.merge(PgStores.layer, PgMigrations.layer)),
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

/**
 * Limit on a refund's size on disk: its row, its transfer and its event with its trace, including all their indexes.
 */
const mostBytes = 1_500

/** Enough copies to make partly filled pages negligible. */
const copies = 20_000

const timeoutMillis = 300_000

const Sizes = Schema.Array(Schema.Struct({ name: Schema.String, bytes: Schema.Int }))

it.layer(services, { timeout: timeoutMillis, excludeTestServices: true })("a refund", (it) => {
  it.effect(
    "takes less than 1,500 bytes on disk with its transfer, its traced event and all indexes; its replay is the same text",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const refunds = yield* Refunds.Refunds
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
        const { payment } = yield* FreshPayment.settled({ scope })
        const key = Fresh.idempotencyKey()
        const command = Result.getOrThrow(
          parseRefund({ transactionId: payment.id, amount: 1, reason: "Came back damaged" })
        )
        const made = yield* refunds.create(scope, key, command)
        const again = yield* refunds.create(scope, key, command)
        assert.isTrue(again.replayed)
        assert.strictEqual(again.response, made.response)
        const refund = toUuid(made.refund.id)

        yield* sql`set session_replication_role = replica`
        const statements = [
          `create temporary table copy as select n, surety.uuid_v7(now() + n * interval '1 second') as refund_id,
            surety.uuid_v7(now() + n * interval '1 second') as event_id,
            surety.uuid_v7(now() + n * interval '1 second') as transfer_id from generate_series(1, ${copies}) n`,
          `insert into surety.event (merchant_id, environment, id, topic, body, occurred_at, trace)
          select v.merchant_id, v.environment, c.event_id, v.topic, v.body, v.occurred_at, substr(sha256(uuid_send(c.event_id)), 1, 24)
          from copy c, surety.event v join surety.refund r on r.event_id = v.id where r.id = '${refund}'`,
          `insert into surety.transfer (id, kind, environment, currency, debit_account_id, credit_account_id, amount_minor,
            merchant_id, refund_id, at)
          select c.transfer_id, t.kind, t.environment, t.currency, t.debit_account_id, t.credit_account_id, t.amount_minor,
            t.merchant_id, c.refund_id, t.at
          from copy c, surety.transfer t where t.refund_id = '${refund}'`,
          `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint, answer,
            amount_minor, reason, status, event_id, created_at, completed_at)
          select c.refund_id, r.merchant_id, r.environment, r.payment_id, r.idempotency_key || c.n, r.fingerprint, r.answer,
            r.amount_minor, r.reason, r.status, c.event_id, r.created_at, r.completed_at
          from copy c, surety.refund r where r.id = '${refund}'`
        ]
        for (const statement of statements) yield* sql.unsafe(statement).unprepared
        yield* sql`set session_replication_role = origin`
        for (const table of ["refund", "transfer", "event"]) yield* sql.unsafe(`vacuum full surety.${table}`)
        const rows = yield* sql`
          select c.relname as name, (pg_table_size(c.oid) / ${copies}::integer)::integer as bytes from pg_class c
          where c.oid in ('surety.refund'::regclass, 'surety.transfer'::regclass, 'surety.event'::regclass)
          union all
          select i.indexrelid::regclass::text, (pg_relation_size(i.indexrelid) / ${copies}::integer)::integer from pg_index i
          where i.indrelid in ('surety.refund'::regclass, 'surety.transfer'::regclass, 'surety.event'::regclass)
          order by 1`
        const sizes = yield* Schema.decodeUnknownEffect(Sizes)(rows)
        const bytes = sizes.reduce((sum, size) => sum + size.bytes, 0)
        assert.isBelow(bytes, mostBytes, sizes.map(({ bytes, name }) => `${name} ${bytes}`).join(", "))
      }),
    timeoutMillis
  )
})
