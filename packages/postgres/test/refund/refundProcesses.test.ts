import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import * as DeliverySignal from "@surety/core/event/DeliverySignal"
import * as PgSettings from "@surety/postgres/PgSettings"
import * as PgStores from "@surety/postgres/PgStores"
import * as Fresh from "@surety/testing/FreshIds"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect, Layer } from "effect"
import * as TestStores from "../TestStores.js"
import { refundedMinor } from "./RefundedSale.js"

/** The stores of a separate process, with its own pool and batches. */
const makeProcess = (settings: Partial<PgSettings.PgSettings> = {}) =>
  Effect.flatMap(TestDatabase, ({ url }) =>
    PgStores.layer.pipe(
      Layer.provideMerge(DeliverySignal.layer),
      Layer.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 8 }))),
      Layer.provide(PgSettings.layer({ ...TestStores.patience, refundBatchSize: 8, ...settings })),
      Layer.fresh,
      Layer.build
    )
  )

it.layer(TestStores.postgres, { excludeTestServices: true })("two processes", (it) => {
  it.effect("never refund more than was paid, nor make two refunds of a key, on one payment and on many", () =>
    Effect.gen(function* () {
      const other = yield* makeProcess()
      const hot = yield* FreshPayment.settled({ amountMinor: 2_000n })
      const cold = yield* Effect.replicateEffect(FreshPayment.settled({ scope: hot.scope, amountMinor: 100n }), 10)
      const orders = Array.from({ length: 100 }, (_, index) => ({
        sale: index % 2 === 0 ? hot : (cold[index % 10] ?? hot),
        key: Fresh.idempotencyKey()
      }))
      const all = Effect.forEach(
        orders,
        ({ key, sale }) => RefundAttempt.make(sale.scope, sale.payment, { amountMinor: 30n, key }),
        { concurrency: "unbounded" }
      )
      const [mine, theirs] = yield* Effect.all([all, Effect.provideContext(all, other)], { concurrency: 2 })
      for (const [index, decision] of mine.entries()) {
        const pair = [decision, theirs[index]].map((made) => made?._tag).sort()
        assert.include(["Execute,Replay", "Refuse,Refuse"], pair.join())
      }
      assert.strictEqual(yield* refundedMinor(hot), 1_500n)
      for (const sale of cold) assert.isAtMost(Number(yield* refundedMinor(sale)), 100)
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("lock in one order: refunds of many payments back and forth never wait for each other", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.replicateEffect(makeProcess({ conflictRetries: 0 }), 2)
      const scopes = yield* Effect.replicateEffect(Effect.map(FreshMerchant.make(), FreshMerchant.scopeOf), 4)
      const sales = yield* Effect.forEach([...Array(8).keys()], (index) =>
        FreshPayment.settled({ scope: scopes[index % 4] ?? assert.fail(), amountMinor: 1_000n })
      )
      const round = (order: ReadonlyArray<FreshPayment.Sale>) =>
        Effect.forEach(order, ({ payment, scope }) => RefundAttempt.executed(scope, payment, { amountMinor: 1n }), {
          concurrency: "unbounded"
        })
      const rounds = (order: ReadonlyArray<FreshPayment.Sale>) => Effect.replicateEffect(round(order), 50)
      yield* Effect.all(
        [
          Effect.provideContext(rounds(sales), one ?? assert.fail()),
          Effect.provideContext(rounds([...sales].reverse()), other ?? assert.fail())
        ],
        { concurrency: 2 }
      )
      for (const sale of sales) assert.strictEqual(yield* refundedMinor(sale), 100n)
      yield* LedgerChecks.expectSound
    })
  )
})
