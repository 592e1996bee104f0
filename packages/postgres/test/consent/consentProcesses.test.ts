import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { ConsentUpkeep } from "@surety/core/consent/ConsentUpkeep"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as ConsentAttempt from "@surety/testing/consent/ConsentAttempt"
import * as FreshConsent from "@surety/testing/consent/FreshConsent"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { Deferred, Effect, Fiber, Layer, Option, Schedule } from "effect"
import * as TestStores from "../TestStores.js"

/** The stores of a separate process, with its own pool. */
const makeProcess = Effect.flatMap(TestDatabase, ({ url }) =>
  PgStores.layer.pipe(
    Layer.provideMerge(DeliverySignal.layer),
    Layer.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 8 }))),
    Layer.provide(PgSettings.layer(TestStores.patience)),
    Layer.fresh,
    Layer.build
  )
)

const many = (count: number) => Array.from({ length: count }).keys()

it.layer(TestStores.postgres, { excludeTestServices: true })("two processes", (it) => {
  it.effect("decide on each of many requests once, and leave one whole chain without a gap", () =>
    Effect.gen(function* () {
      const other = yield* makeProcess
      const { consumer, scope } = yield* FreshConsent.parties()
      const requests = yield* Effect.forEach(many(40), () => ConsentAttempt.askedAnew(scope, consumer), {
        concurrency: "unbounded"
      })
      const decideAll = (verdict: typeof ConsentAttempt.deny) =>
        Effect.forEach(requests, ({ request }) => ConsentAttempt.decide(request.id, verdict), {
          concurrency: "unbounded"
        })
      const [mine, theirs] = yield* Effect.all(
        [decideAll(ConsentAttempt.approveAll), Effect.provideContext(decideAll(ConsentAttempt.deny), other)],
        { concurrency: 2 }
      )
      for (const [index, decision] of mine.entries()) {
        const pair = [decision, theirs[index] ?? assert.fail()].map((one) => Option.getOrThrow(one)._tag).sort()
        assert.deepStrictEqual(pair, ["Execute", "Stands"])
      }
      assert.lengthOf(yield* FreshConsent.soundChain(scope), requests.length)
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("make one request of each key, end each grant once, and give each notice to one sender", () =>
    Effect.gen(function* () {
      const other = yield* makeProcess
      const { consumer, scope } = yield* FreshConsent.parties()
      const grants = yield* Effect.replicateEffect(ConsentAttempt.given(scope, consumer, { purpose: "another" }), 20)
      const keys = [...many(20)].map(() => Fresh.idempotencyKey())
      const work = Effect.all(
        [
          Effect.forEach(keys, (key) => ConsentAttempt.ask(scope, consumer, { key, purpose: key }), {
            concurrency: "unbounded"
          }),
          Effect.forEach(grants, ({ grant }) => ConsentAttempt.end(grant.id, ConsentAttempt.revoke), {
            concurrency: "unbounded"
          })
        ],
        { concurrency: 2 }
      )
      const [[asked, ended], [askedThere, endedThere]] = yield* Effect.all([work, Effect.provideContext(work, other)], {
        concurrency: 2
      })
      assert.deepStrictEqual(ConsentAttempt.tally([...asked, ...askedThere]), { Execute: 20, Replay: 20 })
      const ends = [...ended, ...endedThere].map(Option.getOrThrow)
      assert.deepStrictEqual(ConsentAttempt.tally(ends), { Execute: 20, Stands: 20 })
      assert.lengthOf(yield* FreshConsent.soundChain(scope), 40)
      const now = yield* Fresh.now
      const claim = Effect.flatMap(ConsentUpkeep, (upkeep) =>
        upkeep.claimNotifications({ now, againAt: Fresh.later(now, 60_000), limit: 7 })
      )
      const claims = Effect.replicateEffect(claim, 6, { concurrency: "unbounded" })
      const all = yield* Effect.all([claims, Effect.provideContext(claims, other)], { concurrency: 2 })
      const mine = all
        .flat(2)
        .filter(({ request }) => request.merchantId === scope.merchantId)
        .map(({ request }) => request.id)
      assert.strictEqual(new Set(mine).size, mine.length, "no notice is given to two senders")
      assert.lengthOf(mine, 20)
    })
  )
})

/** Runs `work` up to its commit, which waits for the table, then runs `meanwhile`. Returns the result of `work`. */
const overtaken = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  table: string,
  work: Effect.Effect<A, E, R>,
  meanwhile: Effect.Effect<unknown, E2, R2>
) {
  const sql = yield* PgClient.PgClient
  const isLocked = yield* Deferred.make<void>()
  const letGo = yield* Deferred.make<void>()
  const holder = yield* Effect.forkScoped(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(`lock table surety.${table} in share mode`)
        yield* Deferred.succeed(isLocked, undefined)
        yield* Deferred.await(letGo)
      })
    )
  )
  yield* Deferred.await(isLocked)
  const working = yield* Effect.forkScoped(work)
  yield* sql`select 1 from pg_locks where not granted and relation = ${`surety.${table}`}::regclass`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }),
    Effect.timeout("40 seconds")
  )
  yield* meanwhile
  yield* Deferred.succeed(letGo, undefined)
  yield* Fiber.join(holder)
  return yield* Fiber.join(working)
})

it.layer(TestStores.postgres, { excludeTestServices: true })("what a revocation overtakes before its commit", (it) => {
  it.effect("is decided again: a reading without the revoked field, or not at all", () =>
    Effect.gen(function* () {
      const { consumer, scope } = yield* FreshConsent.parties()
      const give = (field: string) => ConsentAttempt.given(scope, consumer, { fields: [field] })
      const [email, country] = yield* Effect.forEach(["email", "country"], give)
      const readable = ConsentAttempt.readable(scope, consumer)
      const revoke = (given: typeof email) => ConsentAttempt.revoked(given?.grant ?? assert.fail())
      const first: ReadonlyArray<string> = (yield* overtaken("identity_read", readable, revoke(email))) ?? []
      assert.deepStrictEqual(first, ["service_id", "country"])
      assert.isUndefined(yield* overtaken("identity_read", readable, revoke(country)))
      assert.lengthOf((yield* FreshConsent.traceOf(scope)).reads, 1)
    })
  )

  it.effect("is decided again: a request that the grant would have covered asks the person", () =>
    Effect.gen(function* () {
      const { consumer, scope } = yield* FreshConsent.parties()
      const { grant } = yield* ConsentAttempt.given(scope, consumer)
      const ask = ConsentAttempt.askedAnew(scope, consumer)
      const { request } = yield* overtaken("data_request", ask, ConsentAttempt.revoked(grant))
      assert.strictEqual(request.status, "PENDING")
    })
  )
})
