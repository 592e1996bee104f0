import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { type Currency, fromCode } from "@surety/core/Currency"
import type { Consumer } from "@surety/core/consumer/Consumer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import * as FreshEndpoint from "@surety/testing/event/FreshEndpoint"
import * as FreshOperatorTransfer from "@surety/testing/ledger/FreshOperatorTransfer"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Deferred, Effect, Fiber, Schedule } from "effect"
import * as TestStores from "../TestStores.js"

/** A currency that nothing else in this database uses. The first sale in UGX therefore opens every account it needs. */
const ugx: Currency = fromCode("UGX") ?? assert.fail("ISO 4217 has UGX")

/** Fails once a statement is blocked on a lock held by another transaction. */
const noneMayWait = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const waiting = sql<{ readonly query: string }>`
    select left(query, 300) as query from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const found = yield* Effect.repeat(waiting, {
    until: ({ length }) => length > 0,
    schedule: Schedule.spaced("5 millis")
  })
  return assert.fail(`waits for a row of another merchant's transaction: ${found[0]?.query}`)
})

const shop = Effect.gen(function* () {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  yield* FreshEndpoint.make(scope)
  return scope
})

const trade = Effect.fnUntraced(function* (scope: MerchantScope, consumer: Consumer | undefined) {
  const of = consumer === undefined ? { scope } : { scope, consumer }
  const sale = yield* FreshPayment.settled({ ...of, currency: ugx, amountMinor: 1_000n })
  yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 500n })
  return sale
})

/**
 * Runs `others` while a transaction with one merchant's payment and refund is open. Fails if a statement is blocked
 * meanwhile. Returns the result of `others` and the merchant's sale.
 */
const whileOneIsOpen = Effect.fnUntraced(function* <A, E, R>(
  consumer: Consumer | undefined,
  others: (sale: FreshPayment.Sale) => Effect.Effect<A, E, R>
) {
  const sql = yield* PgClient.PgClient
  const scope = yield* shop
  const customer = consumer ?? (yield* FreshPayment.unstored({ scope })).consumer
  const traded = yield* Deferred.make<FreshPayment.Sale>()
  const letGo = yield* Deferred.make<void>()
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* Deferred.succeed(traded, yield* trade(scope, customer))
        yield* Deferred.await(letGo)
      })
    )
  )
  const sale = yield* Effect.raceFirst(Deferred.await(traded), Fiber.join(holder).pipe(Effect.andThen(Effect.never)))
  const done = yield* Effect.raceFirst(others(sale), noneMayWait)
  assert.isUndefined(holder.pollUnsafe(), "the transaction is open until then")
  yield* Deferred.succeed(letGo, undefined)
  yield* Fiber.join(holder)
  return { done, sale }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("a merchant's open transaction", (it) => {
  it.effect("keeps no other merchant's payment or refund to the same person waiting, the first of all neither", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [second, third] = [yield* shop, yield* shop]
      const { sale } = yield* whileOneIsOpen(undefined, ({ consumer }) =>
        Effect.all([trade(second, consumer), sql.withTransaction(trade(third, consumer))], { concurrency: "unbounded" })
      )
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 1_500n)
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("keeps no withdrawal from the person's wallet waiting, nor a payment from what it holds elsewhere", () =>
    Effect.gen(function* () {
      const { post } = yield* OperatorTransferStore
      const [second, third] = [yield* shop, yield* shop]
      const { consumer } = yield* trade(second, undefined)
      const { sale } = yield* whileOneIsOpen(consumer, (open) =>
        Effect.gen(function* () {
          const amount = { currency: ugx, minor: 200n }
          const withdrawal = FreshOperatorTransfer.toConsumer(open, { kind: "WITHDRAWAL", amount })
          assert.strictEqual((yield* post(FreshOperatorTransfer.postPlanOf(withdrawal)))._tag, "Posted")
          const of = { scope: third, consumer, currency: ugx }
          const { payment } = yield* FreshPayment.unstored({ ...of, amountMinor: 300n })
          yield* FreshPayment.recorded(FreshPayment.fromBalanceOf(payment))
          const tooMuch = FreshOperatorTransfer.toConsumer(open, { kind: "WITHDRAWAL", amount })
          // The open transaction's rows are not visible to other transactions yet.
          assert.deepStrictEqual(yield* post(FreshOperatorTransfer.postPlanOf(tooMuch)), {
            _tag: "Insufficient",
            balanceMinor: 0n
          })
        })
      )
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 500n)
      yield* LedgerChecks.expectSound
    })
  )
})
