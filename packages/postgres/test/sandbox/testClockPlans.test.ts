import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import { mostMoved, SandboxStore } from "@surety/core/sandbox/SandboxStore"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Effect, Layer, Schema } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { expectFew } from "../sql/TableReads.js"

/** A single connection, so that one flush of its statistics covers every read. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const open = 10_000
const ended = 40_000
const timeoutMillis = 300_000

/**
 * Limit on the rows and index entries that a move of the test clock reads from one table. Moved rows are read by index
 * and looked up again for the update. The statistics may count a move together with the previous one.
 */
const mostRead = 13 * mostMoved

const at = "now() - n * interval '1 minute'"
const isOpen = `(n > ${ended})`
const each = `from generate_series(1, ${ended + open}) n`

/**
 * Builds SQL for the id of a row's merchant or endpoint. Half of the rows get the given id. The rest share a hundred
 * other ids.
 */
const ownerOf = (merchant: string) => `case when n % 2 = 0 then '${merchant}' else md5((n % 200)::text)::uuid end`

/**
 * Builds the statements that insert TEST records of each kind, by table. The newest have ended; the others are open.
 */
const recordsOf = (merchant: string, endpoint: string): Readonly<Record<string, string>> => ({
  data_request: `insert into surety.data_request (id, merchant_id, environment, user_id, service_id, requested_fields, purpose,
      status, created_at, expires_at, answer, token_hash, link_key_id, link_sealed)
    select surety.uuid_v7(${at}), ${ownerOf(merchant)}, 'TEST', 'person ' || n, 'SR1-K7QM-WX4T-A', '{email}', 'p',
      case when ${isOpen} then 'PENDING' else 'EXPIRED' end, ${at}, now() + interval '1 year', '{}', 'token ' || n, 'key', 'sealed' ${each}`,
  consent_grant: `insert into surety.consent_grant (id, merchant_id, environment, user_id, service_id, fields, purpose, origin,
      granted_by_kind, status, granted_at, expires_at, event_id)
    select surety.uuid_v7(${at}), ${ownerOf(merchant)}, 'TEST', 'person ' || n, 'SR1-K7QM-WX4T-A', '{email}', 'p', 'HOST', 'HOST',
      case when ${isOpen} then 'ACTIVE' else 'EXPIRED' end, ${at}, now() + interval '1 year', gen_random_uuid() ${each}`,
  verification: `insert into surety.verification (id, merchant_id, environment, user_id, service_id, kind, id_hash, id_last4,
      status, first_name_result, last_name_result, date_of_birth_result, selfie_result, provider, created_at, idempotency_key,
      fingerprint, answer, fence, looks, due_at, completed_at, failure_reason, consent_method)
    select surety.uuid_v7(${at}), ${ownerOf(merchant)}, 'TEST', 'person ' || n, 'SR1-K7QM-WX4T-A', 'bvn', 'k.h', '1234', case when ${isOpen} then 'PENDING' else 'ERROR' end,
      'NOT_CHECKED', 'NOT_CHECKED', 'NOT_CHECKED', 'NOT_CHECKED', 'p', ${at}, 'key ' || n, 'f', '{}', 1, 0,
      case when ${isOpen} then now() + interval '1 year' end, case when not ${isOpen} then now() end,
      case when not ${isOpen} then 'gone' end, 'HOLDER_CODE' ${each}`,
  delivery: `insert into surety.delivery (id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at,
      fence, created_at)
    select surety.uuid_v7(${at}), gen_random_uuid(), ${ownerOf(endpoint)}, ${ownerOf(merchant)}, 'TEST',
      case when ${isOpen} then 'PENDING' else 'DELIVERED' end, 1, case when ${isOpen} then now() + interval '1 year' end, 1, ${at} ${each}`
})

const decodeMoved = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ moved: Schema.Int, newest: Schema.Boolean })])
)

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("a move of the test clock", (it) => {
  it.effect(
    "reads as many rows of each kind as it moves, however many have ended or are open, and moves the newest",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const store = yield* SandboxStore
        const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
        const endpoint = yield* FreshEndpoint.make(scope)
        const merchant = toUuid(scope.merchantId)
        const records = recordsOf(merchant, toUuid(endpoint.id))
        yield* sql`set session_replication_role = replica`
        for (const statement of Object.values(records)) yield* sql.unsafe(statement).unprepared
        yield* sql`set session_replication_role = origin`
        for (const table of Object.keys(records)) yield* sql.unsafe(`analyze surety.${table}`)

        yield* store.advanceClock(scope.merchantId, 86_400)
        const rows = yield* sql`
          select count(*)::int as moved, min(g.id::text) > (
            select max(o.id::text) from surety.consent_grant o
            where o.merchant_id = ${merchant} and o.status = 'ACTIVE' and o.expires_at > now() + interval '364 days 1 hour'
          ) as newest
          from surety.consent_grant g
          where g.merchant_id = ${merchant} and g.status = 'ACTIVE' and g.expires_at < now() + interval '364 days 1 hour'`
        assert.deepStrictEqual(yield* decodeMoved(rows), [{ moved: mostMoved, newest: true }])
        // Earlier moves leave index entries of replaced rows, which later moves read until a vacuum. Each table is
        // therefore vacuumed before its move.
        for (const table of Object.keys(records)) {
          const vacuum = sql.unsafe(`vacuum surety.${table}`).unprepared
          yield* expectFew([table], mostRead, [
            [table, Effect.andThen(vacuum, store.advanceClock(scope.merchantId, 1))]
          ])
        }
      }),
    timeoutMillis
  )
})
