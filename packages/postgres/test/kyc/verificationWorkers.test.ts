import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import { toUuid } from "@surety/core/Ids"
import { KycStore } from "@surety/core/kyc/KycStore"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as FreshConsumer from "@surety/testing/consumer/FreshConsumer"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshVerification from "@surety/testing/kyc/FreshVerification"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import { Context, Effect, Exit, Layer, Option, Scope } from "effect"
import * as TestStores from "../TestStores.js"

/** Builds a store with its own pool, as in a separate process. `kill` closes its scope. */
const startProcess = Effect.gen(function* () {
  const { url } = yield* TestDatabase
  const scope = yield* Scope.fork(yield* Effect.scope)
  const stores = PgStores.layer.pipe(
    Layer.provide(DeliverySignal.layer),
    Layer.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 8 }))),
    Layer.provide(PgSettings.layer(TestStores.patience)),
    Layer.fresh
  )
  const context = yield* Layer.buildWithScope(stores, scope)
  return { store: Context.get(context, KycStore), kill: Scope.close(scope, Exit.void) }
})

const rowOf = Effect.fnUntraced(function* ({ verification }: FreshVerification.Begun) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql`select * from surety.verification where id = ${toUuid(verification.id)}`
  return row
})

it.layer(TestStores.postgres, { excludeTestServices: true })("processes that share a database", (it) => {
  it.effect("give a due verification to exactly one of 48 connections that want it at once, however they ask", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.replicateEffect(startProcess, 6)
      for (const _ of Array.from({ length: 5 })) {
        const begun = yield* FreshVerification.make()
        const now = Fresh.later(begun.madeAt, FreshVerification.leaseMinute)
        const leasedUntil = Fresh.later(now, FreshVerification.leaseMinute)
        const { id } = begun.verification
        const wanting = processes.flatMap(({ store }) => {
          const claim = store.claim({ now, leasedUntil, limit: 8, id })
          const lease = Effect.map(store.lease(id, now, leasedUntil), Option.toArray)
          return Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? claim : lease))
        })
        const holders = (yield* Effect.all(wanting, { concurrency: "unbounded" })).flat()
        assert.deepStrictEqual(
          holders.map(({ fence, verification }) => [fence, verification.id]),
          [[begun.leased.fence + 1, id]]
        )
      }
    })
  )

  it.effect("begin one verification of a key that all of them use at once", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.replicateEffect(startProcess, 4)
      const { consumer, scope } = yield* FreshVerification.make()
      const key = Fresh.idempotencyKey()
      const at = yield* Fresh.longAgo
      const attempts = processes.flatMap(({ store }) =>
        Array.from({ length: 8 }, () =>
          Effect.provideService(
            FreshVerification.attempt(scope, consumer, { key, at, id: "no number" }),
            KycStore,
            store
          )
        )
      )
      const decisions = yield* Effect.all(attempts, { concurrency: "unbounded" })
      assert.deepStrictEqual(FreshVerification.tally(decisions), { Execute: 1, Replay: 31 })
    })
  )

  it.effect("keep a holder who was fenced out from writing anything", () =>
    Effect.gen(function* () {
      const store = yield* KycStore
      const { store: other } = yield* startProcess
      const begun = yield* FreshVerification.make({ tier: "TIER_2" })
      const now = Fresh.later(begun.madeAt, FreshVerification.leaseMinute)
      const [newer] = yield* other.claim({
        now,
        leasedUntil: Fresh.later(now, FreshVerification.leaseMinute),
        limit: 1,
        id: begun.verification.id
      })
      const before = yield* rowOf(begun)
      const leasedUntil = Fresh.later(now, 60 * FreshVerification.leaseMinute)
      for (const progress of [
        FreshVerification.verifiedBy(begun.leased),
        FreshVerification.progressOf(begun.leased, FreshVerification.needsCode(begun.leased), {
          dueAt: now,
          leasedUntil,
          looks: 9
        })
      ]) {
        assertEquals(yield* store.settle(progress), Option.none())
      }
      assert.deepStrictEqual(yield* rowOf(begun), before)
      const consumers = yield* ConsumerStore
      const { environment, serviceId } = begun.consumer
      const consumer = Option.getOrThrow(yield* consumers.findByServiceId(environment, serviceId))
      assert.notProperty(consumer, "kycStatus")
      assert.isTrue(
        Option.isSome(yield* other.settle(FreshVerification.verifiedBy(newer ?? assert.fail("it was due"))))
      )
    })
  )

  it.effect("recover what one of them had begun when it was killed, once its hold has ended", () =>
    Effect.gen(function* () {
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const consumer = yield* FreshConsumer.linkedTo(scope)
      const { kill, store: dying } = yield* startProcess
      const at = yield* Fresh.longAgo
      const key = Fresh.idempotencyKey()
      const attempt = FreshVerification.attempt(scope, consumer, { key, at })
      const { verification } = FreshVerification.planOf(yield* Effect.provideService(attempt, KycStore, dying))
      yield* kill
      const { store } = yield* startProcess
      const claimAfter = (minutes: number) => {
        const now = Fresh.later(at, minutes * FreshVerification.leaseMinute)
        return store.claim({ now, leasedUntil: Fresh.later(now, FreshVerification.leaseMinute), limit: 10 })
      }
      assert.deepStrictEqual([...(yield* claimAfter(0.9))], [], "it is still the maker's")
      const [left, ...more] = yield* claimAfter(1)
      assert.isEmpty(more)
      assertEquals(left?.verification, verification)
      const ended = FreshVerification.verifiedBy(left ?? assert.fail("it was left"))
      assertEquals(yield* store.settle(ended), Option.some(ended.answer))
      const again = yield* attempt
      assertEquals(again, { _tag: "Replay", verificationId: verification.id, answer: ended.answer })
    })
  )

  it.effect("leave nothing of what a host's transaction began and gave up, and raise no one in it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* KycStore
      const { consumer, leased, scope } = yield* FreshVerification.make()
      const key = Fresh.idempotencyKey()
      const at = yield* Fresh.longAgo
      const givenUp = Effect.gen(function* () {
        yield* FreshVerification.attempt(scope, consumer, { key, at })
        assert.isTrue(Option.isSome(yield* store.settle(FreshVerification.verifiedBy(leased))))
        return yield* Effect.fail("given up" as const)
      })
      assert.strictEqual(yield* Effect.flip(sql.withTransaction(givenUp)), "given up")
      assert.isUndefined((yield* FreshVerification.look(scope, consumer, { key })).prior)
      assertEquals(yield* store.find(scope, leased.verification.id), Option.some(leased.verification))
      const consumers = yield* ConsumerStore
      const { environment, serviceId } = consumer
      assert.notProperty(Option.getOrThrow(yield* consumers.findByServiceId(environment, serviceId)), "kycStatus")
    })
  )

  it.effect("raise no one by a verification that could not be stored", () =>
    Effect.gen(function* () {
      const store = yield* KycStore
      const begun = yield* FreshVerification.make()
      const before = yield* rowOf(begun)
      const impossible = FreshVerification.verifiedBy(begun.leased)
      const verification = { ...impossible.verification, providerReference: "two words" }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(store.settle({ ...impossible, verification }))))
      assert.deepStrictEqual(yield* rowOf(begun), before)
      const consumers = yield* ConsumerStore
      const { environment, serviceId } = begun.consumer
      assert.notProperty(Option.getOrThrow(yield* consumers.findByServiceId(environment, serviceId)), "kycStatus")
    })
  )

  it.effect("lose no status if several verifications of a person end at once", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.replicateEffect(startProcess, 4)
      const first = yield* FreshVerification.make({ tier: "TIER_1" })
      const at = yield* Fresh.longAgo
      const begun = yield* Effect.replicateEffect(
        Effect.map(FreshVerification.attempt(first.scope, first.consumer, { at, tier: "TIER_1" }), (decision) => ({
          ...first.leased,
          verification: FreshVerification.planOf(decision).verification
        })),
        16
      )
      const saves = begun.map((leased, index) =>
        (processes[index % 4] ?? assert.fail()).store.settle(FreshVerification.verifiedBy(leased))
      )
      const kept = yield* Effect.all(saves, { concurrency: "unbounded" })
      assert.lengthOf(kept.filter(Option.isSome), 16)
      const consumers = yield* ConsumerStore
      const { environment, serviceId } = first.consumer
      const stored = Option.getOrThrow(yield* consumers.findByServiceId(environment, serviceId))
      assert.deepInclude(stored, { kycStatus: "VERIFIED", kycTier: "TIER_1" })
    })
  )
})
