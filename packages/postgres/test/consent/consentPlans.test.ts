import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsentLog } from "@surety/core/consent/ConsentLog"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import type { StorePorts } from "@surety/core/StorePorts"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as Fresh from "@surety/testing/FreshIds"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Effect, Layer } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { readsOf } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = Layer.merge(PgStores.layer, PgMigrations.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const reads = readsOf(["data_request", "consent_grant", "consent_receipt", "receipt_chain_end", "identity_read"])

const copies = 40_000
const merchants = 300

/**
 * Adds other merchants, and their records about other people. Most of the added requests (98 %) and half of the added
 * grants have expired. The rows refer to people and events that do not exist, so foreign key checks are off. Each
 * statement is its own transaction, since a long one would delay the events that other tests read.
 */
const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const among = (count: number) => `md5((n % ${count})::text)::uuid`
  const at = "now() - n * interval '100 milliseconds'"
  yield* sql`set session_replication_role = replica`
  yield* sql.unsafe(`
      insert into surety.merchant (id, business_code, name, legal_name, contact_name, contact_email, country,
        business_type, refunds_enabled, settlement_overdraft, status, created_at, updated_at)
      select ${among(merchants)}, 'code ' || n, m.name, m.legal_name, m.contact_name, m.contact_email, m.country,
        m.business_type, m.refunds_enabled, m.settlement_overdraft, m.status, m.created_at, m.updated_at
      from (select * from surety.merchant limit 1) m, generate_series(1, ${merchants}) n`)
  yield* sql.unsafe(`
      insert into surety.data_request (id, merchant_id, environment, user_id, service_id, requested_fields, purpose,
        status, created_at, expires_at, answer, token_hash, link_key_id, link_sealed, notify_at)
      select surety.uuid_v7(${at}), ${among(merchants)}, case when n % 10 = 0 then 'TEST' else 'LIVE' end,
        'person ' || n % 30000, r.service_id, r.requested_fields, r.purpose,
        case when n % 50 = 0 then 'PENDING' else 'EXPIRED' end, ${at}, now() + n * interval '1 second', r.answer,
        'token ' || n, r.link_key_id, r.link_sealed,
        case when n % 50 = 0 then now() - n * interval '1 millisecond' end
      from (select * from surety.data_request limit 1) r, generate_series(1, ${copies}) n`)
  yield* sql.unsafe(`
      insert into surety.data_request_key (merchant_id, environment, idempotency_key, data_request_id, fingerprint,
        kept_since)
      select r.merchant_id, r.environment, r.token_hash, r.id, 'f', r.created_at from surety.data_request r
      where r.token_hash like 'token %'`)
  yield* sql.unsafe(`
      insert into surety.asking (merchant_id, environment, user_id, version, block_reason, block_request_id, blocked_at)
      select ${among(merchants)}, 'LIVE', 'person ' || n, 1, 'NOT_ME', gen_random_uuid(), ${at}
      from generate_series(1, ${copies}) n`)
  yield* sql.unsafe(`
      insert into surety.consent_grant (id, merchant_id, environment, user_id, service_id, fields, purpose, origin,
        granted_by_kind, status, granted_at, expires_at, event_id)
      select surety.uuid_v7(${at}), ${among(merchants)}, case when n % 10 = 0 then 'TEST' else 'LIVE' end,
        'person ' || n % 30000, g.service_id, g.fields, g.purpose, g.origin, g.granted_by_kind,
        case when n % 2 = 0 then 'ACTIVE' else 'EXPIRED' end, ${at}, now() + n * interval '1 second',
        gen_random_uuid()
      from (select * from surety.consent_grant limit 1) g, generate_series(1, ${copies}) n`)
  yield* sql.unsafe(`
      insert into surety.identity_read (id, merchant_id, environment, user_id, service_id, fields, read_at)
      select surety.uuid_v7(${at}), ${among(merchants)}, case when n % 10 = 0 then 'TEST' else 'LIVE' end,
        'person ' || n % 30000, i.service_id, i.fields, ${at}
      from (select * from surety.identity_read limit 1) i, generate_series(1, ${copies}) n`)
  yield* sql.unsafe(`
      insert into surety.consent_receipt (id, merchant_id, environment, user_id, sequence, body, previous_hash, hash)
      select gen_random_uuid(), ${among(merchants)}, 'LIVE', 'person ' || n % 30000, n + 1, 'text', md5(n::text),
        surety.receipt_hash(md5(n::text), 'text')
      from generate_series(1, ${copies}) n`)
  yield* sql`set session_replication_role = origin`
  for (const table of [
    "merchant",
    "data_request",
    "data_request_key",
    "asking",
    "consent_grant",
    "identity_read",
    "consent_receipt"
  ]) {
    yield* sql.unsafe(`analyze surety.${table}`)
  }
})

const timeoutMillis = 300_000

/**
 * Limit on the rows and index entries that an operation may read among 40,000 records of each kind. Lists return at
 * most 20 rows.
 */
const mostRead = 400

/**
 * Limit on the rows and index entries that an operation may read for a merchant and person with few records. At least
 * 60 other pairs have as many records.
 */
const mostOfOne = 40

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("among 40,000 of each", (it) => {
  it.effect(
    "every verb of consent finds what it needs by an index",
    () =>
      Effect.gen(function* () {
        const log = yield* ConsentLog
        const upkeep = yield* ConsentUpkeep
        const consumers = yield* ConsumerStore
        const { consumer, scope } = yield* FreshConsent.parties("LIVE")
        const key = Fresh.idempotencyKey()
        const { link, request } = yield* ConsentAttempt.askedAnew(scope, consumer, { key })
        const { grant, receipt } = yield* ConsentAttempt.given(scope, consumer, { purpose: "another" })
        yield* ConsentAttempt.read(scope, consumer)
        yield* fill
        const now = yield* Fresh.now
        const { environment, merchantId } = scope
        const page = { limit: 20, cursor: undefined }
        const anyone = { userId: undefined }
        const person = { userId: consumer.userId }
        const operator = { merchantId: undefined, environment }
        const rare = { merchantId: undefined, environment: "TEST" as const }
        const lists = [
          ["requests", log.listRequests],
          ["grants", log.listGrants],
          ["readings", log.listReads]
        ] as const
        const verbs: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, StorePorts>]> = [
          ...lists.flatMap(
            ([name, list]) =>
              [
                [`a merchant's ${name}`, list(scope, anyone, page)],
                [`a merchant's ${name} of a person`, list(scope, person, page)],
                [`the operator's ${name}`, list(operator, anyone, page)],
                [`the operator's ${name} of the sandbox`, list(rare, anyone, page)],
                [`the operator's ${name} of a person`, list(operator, person, page)]
              ] as const
          ),
          ["receipts", log.listReceipts(scope, anyone, page)],
          ["receipts of a person", log.listReceipts(scope, person, page)],
          ["a person's receipts of all chains", log.listPersonReceipts(operator, consumer.userId, page)],
          ["a person's receipts of one chain", log.listPersonReceipts(scope, consumer.userId, page)],
          ["a person's receipt", log.findPersonReceipt(operator, consumer.userId, receipt.id)],
          ["the last read under a grant", log.lastReads([grant])],
          [
            "the last reads under a page of grants",
            Effect.flatMap(log.listGrants(operator, anyone, page), ({ data }) => log.lastReads(data))
          ],
          ["what was disowned", log.listDisowned(environment, page)],
          ["what was disowned in the sandbox", log.listDisowned("TEST", page)],
          ["whom a merchant may not ask", log.listBlocks(scope, anyone, page)],
          ["whether a merchant may ask a person", log.listBlocks(scope, person, page)],
          ["who may not be asked", log.listBlocks(operator, anyone, page)],
          ["a chain", log.chain(scope, 0, 20)],
          ["a chain's end", log.chainEnd(scope)],
          ["what is pending", log.listPending("LIVE", now, page)],
          ["a request", log.findRequest({ id: request.id, scope })],
          ["anybody's request", log.findRequest({ id: request.id, scope: undefined })],
          ["a grant", log.findGrant({ id: grant.id, scope })],
          ["a link's request", log.findByToken(link?.tokenHash ?? assert.fail("it has a link"))],
          ["whether they are linked", consumers.isLinked(merchantId, environment, consumer.userId)],
          ["what has lapsed", upkeep.lapsed(Fresh.later(now, 50_000), 20)],
          ["notices", upkeep.claimNotifications({ now, againAt: Fresh.later(now, 60_000), limit: 20 })],
          ["a notice", upkeep.claimNotifications({ now, againAt: now, limit: 20, id: request.id })],
          ["a notice that was sent", upkeep.recordNotified(request.id)],
          ["answers to forget", upkeep.forgetAnswers(now, 20)],
          ["a key", ConsentAttempt.look(scope, consumer, key)],
          ["a new request", ConsentAttempt.askedAnew(scope, consumer, { purpose: "a third" })],
          ["a decision", ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)],
          ["a reading", ConsentAttempt.read(scope, consumer)],
          ["a grant's end", ConsentAttempt.revoked(grant)]
        ]
        const wasteful: Array<string> = []
        for (const [name, verb] of verbs) {
          const before = yield* reads
          yield* verb
          const after = yield* reads
          const scans = after.scans - before.scans
          const rows = Number(after.rows - before.rows)
          if (scans > 0n || rows > mostRead) wasteful.push(`${name}: ${scans} tables as a whole, ${rows} rows`)
        }
        assert.deepStrictEqual(wasteful, [])
      }),
    timeoutMillis
  )
})

it.layer(Layer.fresh(stores), { timeout: timeoutMillis, excludeTestServices: true })(
  "in a store that was empty",
  (it) => {
    it.effect(
      "the plans that a connection made first, and keeps, read no other people's rows",
      () =>
        Effect.gen(function* () {
          /**
           * Requests data, decides, reads and revokes for a new merchant and person. Returns the number of rows and
           * index entries that each of these four operations reads.
           */
          const once = Effect.gen(function* () {
            const { consumer, scope } = yield* FreshConsent.parties("LIVE")
            const readBy = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
              const before = yield* reads
              const value = yield* work
              return [value, Number((yield* reads).rows - before.rows)] as const
            })
            const [{ request }, asked] = yield* readBy(ConsentAttempt.askedAnew(scope, consumer))
            const [, decided] = yield* readBy(ConsentAttempt.decided(request.id, ConsentAttempt.approveAll))
            const [, read] = yield* readBy(ConsentAttempt.read(scope, consumer))
            const { grant } = yield* ConsentAttempt.given(scope, consumer, { purpose: "another" })
            const [, ended] = yield* readBy(ConsentAttempt.revoked(grant))
            yield* ConsentAttempt.askedAnew(scope, consumer, { purpose: "a third" })
            return { asked, decided, read, ended }
          })
          yield* Effect.replicateEffect(once, 60, { discard: true })
          // A plan's own reads recur in every run. Incidental reads, such as page pruning, do not, and the minimum
          // excludes them.
          const times = yield* Effect.replicateEffect(once, 3)
          for (const part of ["asked", "decided", "read", "ended"] as const) {
            assert.isBelow(Math.min(...times.map((time) => time[part])), mostOfOne, part)
          }
        }),
      timeoutMillis
    )
  }
)
