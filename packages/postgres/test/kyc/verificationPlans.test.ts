import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import { VerificationLog } from "@surety/core/kyc/verification/VerificationLog"
import type { PageRequest } from "@surety/core/Page"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as Past from "@surety/testing/Past"
import { Effect, Layer, Option } from "effect"
import * as MigratedDatabase from "../MigratedDatabase.js"
import { readsOf } from "../sql/TableReads.js"

/** Stores over a single connection, so that one flush of its statistics covers every read. */
const stores = Layer.mergeAll(PgStores.layer, PgMigrations.layer, Past.layer).pipe(
  Layer.provideMerge(DeliverySignal.layer),
  Layer.provideMerge(Layer.unwrap(Effect.map(TestDatabase, ({ url }) => PgClient.layer({ url, maxConnections: 1 })))),
  Layer.provide(MigratedDatabase.layer)
)

const backlog = 60_000

const reads = readsOf(["verification"])

const expectFew = Effect.fnUntraced(function* <A, E, R>(what: string, verb: Effect.Effect<A, E, R>) {
  let last: Option.Option<A> = Option.none()
  // From the sixth execution on, the server may keep a generic plan.
  for (const _ of Array.from({ length: 8 })) {
    const before = yield* reads
    last = Option.some(yield* verb)
    const after = yield* reads
    assert.strictEqual(after.scans - before.scans, 0n, `${what} reads the table as a whole`)
    assert.isBelow(Number(after.rows - before.rows), 1_000, `${what} reads much`)
  }
  return Option.getOrThrow(last)
})

const copied = `merchant_id, environment, user_id, service_id, kind, id_hash, id_last4, consent_method, status,
  first_name_result, last_name_result, date_of_birth_result, selfie_result, provider, created_at, completed_at, fingerprint, answer, fence,
  looks`

/**
 * Builds a statement that copies verification $1 once for each number from $2 to $3. Each copy has its own id, key and
 * reference.
 */
const copies = (dueAt: string, leasedUntil: string): string => `
  insert into surety.verification (${copied}, id, idempotency_key, provider_reference, due_at, leased_until)
  select ${copied}, gen_random_uuid(), 'copy-' || n || status, 'VR-' || n || status, ${dueAt}, ${leasedUntil}
  from surety.verification, generate_series($2::integer, $3::integer) n where id = $1`

const step = 20_000

/**
 * Fills the table with copies of an ended and an open verification. Half of the open ones are due, and half of those
 * are leased. Inserts in steps, since a long transaction would delay other tests' reads.
 */
const fill = Effect.fnUntraced(function* (ended: string, open: string) {
  const sql = yield* PgClient.PgClient
  const dueAt = "due_at + (n % 2) * interval '1 hour' + n * interval '1 millisecond'"
  const leasedUntil = "case when n % 4 = 0 then leased_until + interval '1 year' end"
  // Skips foreign key checks, since the referenced rows exist.
  yield* sql`set session_replication_role = replica`
  for (let at = 0; at < backlog * 0.9; at += step) {
    yield* sql.unsafe(copies("due_at", "leased_until"), [ended, at + 1, at + step])
  }
  yield* sql.unsafe(copies(dueAt, leasedUntil), [open, 1, backlog * 0.1])
  yield* sql`set session_replication_role = origin`
  yield* sql`analyze surety.verification`
})

const timeoutMillis = 300_000

it.layer(stores, { timeout: timeoutMillis, excludeTestServices: true })("among 60,000 verifications", (it) => {
  it.effect(
    "every lookup, claim and sweep uses an index, whenever its plan was made",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const store = yield* KycStore
        const ended = yield* FreshVerification.make()
        const { consumer, key, madeAt, scope } = ended
        const done = FreshVerification.verifiedBy(ended.leased)
        yield* store.settle(done)
        const open = yield* FreshVerification.make({ scope, at: Fresh.later(madeAt, 10) })
        yield* fill(toUuid(ended.verification.id), toUuid(open.verification.id))
        const [{ count } = { count: 0 }] = yield* sql<{
          readonly count: number
        }>`select count(*)::int as count from surety.verification`
        assert.isAbove(count, backlog)

        const asOf = (minutes: number) => Fresh.later(open.madeAt, minutes * FreshVerification.leaseMinute)
        const claimed = yield* expectFew("claim", store.claim({ now: asOf(2), leasedUntil: asOf(3), limit: 8 }))
        assert.lengthOf(claimed, 8)
        const { id } = open.verification
        yield* expectFew("claim of one", store.claim({ now: asOf(9), leasedUntil: asOf(9), limit: 1, id }))
        yield* expectFew("lease", store.lease(id, asOf(9), asOf(9)))
        const called = { provider: "fake", reference: undefined, providerReference: "VR-17PENDING" }
        assert.isTrue(Option.isSome(yield* expectFew("leaseCalled", store.leaseCalled(called, asOf(3)))))
        const { providerReference = "" } = done.verification
        for (const reference of [ended.verification.id, providerReference]) {
          assert.isTrue(Option.isSome(yield* expectFew("find", store.find(scope, reference))))
        }
        const { prior } = yield* expectFew("begin", FreshVerification.look(scope, consumer, { key, by: "both" }))
        assert.strictEqual(prior?.verificationId, ended.verification.id)
        const log = yield* VerificationLog
        const { merchantId } = scope
        const lists = {
          "a merchant's list": (page: PageRequest) => log.list(scope, page),
          "a merchant's list for the operator": (page: PageRequest) => log.listAll({ ...scope, merchantId }, page),
          "the operator's list": (page: PageRequest) => log.listAll({ ...scope, merchantId: undefined }, page)
        }
        for (const [what, list] of Object.entries(lists)) {
          const { nextCursor } = yield* expectFew(what, list({ limit: 20, cursor: undefined }))
          const { data } = yield* expectFew(`${what}, further on`, list({ limit: 20, cursor: nextCursor }))
          assert.lengthOf(data, 20)
        }
        const swept = yield* expectFew("forgetAnswers", store.forgetAnswers(asOf(9), 8))
        assert.strictEqual(swept, 8)
        assert.strictEqual(yield* expectFew("forgetAnswers", store.forgetAnswers(madeAt, 8)), 0)
      }),
    timeoutMillis
  )
})
