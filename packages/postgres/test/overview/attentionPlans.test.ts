import * as PgClient from "@effect/sql-pg/PgClient"
import { it } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { Overview, layer as overviewLayer } from "@surety/core/overview/Overview"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = overviewLayer.pipe(
  Layer.provideMerge(Layer.merge(PgStores.layer, PgMigrations.layer)),
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const waiting = 10_000
const timeoutMillis = 300_000

/** Limit on the rows and index entries that a count reads. A count stops at 100 rows, each found by an index entry. */
const mostOfCount = 250

/** Limit on the rows and index entries read for a page. A page has 20 rows, and its query reads one more. */
const mostOfPage = 60

const id = "surety.uuid_v7(now() - n * interval '1 minute')"
const at = "now() - n * interval '1 minute'"
const merchant = "(select m.id from surety.merchant m limit 1)"
const each = `from generate_series(1, ${waiting}) n`

/**
 * Statements that insert waiting rows, by table. Half of the proposals have ended. Rights requests are neither overdue
 * nor due soon.
 */
const tables = {
  data_request: `insert into surety.data_request (id, merchant_id, environment, user_id, service_id, requested_fields, purpose,
      status, created_at, expires_at, answer, token_hash, link_key_id, link_sealed)
    select ${id}, ${merchant}, 'LIVE', 'person ' || n, 'SR1-K7QM-WX4T-A', '{email}', 'p', 'PENDING', ${at},
      now() + n * interval '1 minute', '{}', 'token ' || n, 'key', 'sealed' ${each}`,
  rights_request: `insert into surety.rights_request (id, environment, user_id, service_id, kind, status, asked_at, due_at)
    select ${id}, 'LIVE', 'person ' || n, 'SR1-K7QM-WX4T-A', 'ERASE', 'OPEN', ${at}, now() + interval '20 days' ${each}`,
  proposal: `insert into surety.proposal (id, environment, kind, service_id, reason, idempotency_key, fingerprint, proposed_by,
      proposed_at, ends_at, status)
    select ${id}, 'LIVE', 'ERASURE', 'SR1-K7QM-WX4T-A', 'r', 'key ' || n, 'f', 'ada', ${at},
      now() + (${waiting / 2} - n) * interval '1 second', 'OPEN' ${each}`,
  verification: `insert into surety.verification (id, merchant_id, environment, user_id, service_id, kind, id_hash, id_last4,
      status, first_name_result, last_name_result, date_of_birth_result, selfie_result, provider, created_at, idempotency_key,
      fingerprint, answer, fence, looks, due_at, consent_method)
    select ${id}, ${merchant}, 'LIVE', 'person ' || n, 'SR1-K7QM-WX4T-A', 'bvn', 'k.h', '1234', 'PENDING', 'NOT_CHECKED', 'NOT_CHECKED',
      'NOT_CHECKED', 'NOT_CHECKED', 'p', ${at}, 'key ' || n, 'f', '{}', 1, 0, ${at}, 'HOLDER_CODE' ${each}`,
  refund: `insert into surety.refund (id, merchant_id, environment, payment_id, idempotency_key, fingerprint, amount_minor, status,
      created_at)
    select ${id}, ${merchant}, 'LIVE', 'payment ' || n, 'key ' || n, 'f', 1, 'PENDING', ${at} ${each}`
}

const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* FreshMerchant.make()
  yield* sql`set session_replication_role = replica`
  for (const statement of Object.values(tables)) yield* sql.unsafe(statement)
  yield* sql`set session_replication_role = origin`
  for (const table of Object.keys(tables)) yield* sql.unsafe(`analyze surety.${table}`)
})

/** Expires most data requests, leaving so few pending that the planner considers reading all of them cheap. */
const decide = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`
    update surety.data_request set status = 'EXPIRED', token_hash = null, link_key_id = null, link_sealed = null
    where right(token_hash, 1) <> '7' or length(token_hash) < 10`
  yield* sql`vacuum analyze surety.data_request`
})

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("while 10,000 of each wait", (it) => {
  it.effect(
    "what each page of the console counts, and the open links, read no more than they show",
    () =>
      Effect.gen(function* () {
        yield* fill
        const overview = yield* Overview
        const log = yield* ConsentLog
        const now = yield* Fresh.now
        for (const table of Object.keys(tables)) {
          const counts = table === "rights_request" ? 3 : 1
          yield* expectFew([table], counts * mostOfCount, [[`${table}: attention`, overview.attention("LIVE")]])
        }
        const links = [["open links", log.listPending("LIVE", now, { limit: 20, cursor: undefined })]] as const
        yield* expectFew(["data_request"], mostOfPage, links)
        yield* decide
        yield* expectFew(["data_request"], mostOfCount, [["attention", overview.attention("LIVE")]])
        yield* expectFew(["data_request"], mostOfPage, links)
      }),
    timeoutMillis
  )
})
