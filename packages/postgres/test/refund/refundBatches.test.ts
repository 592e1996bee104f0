import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { toUuid } from "@surety/core/Ids"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { RefundDecision } from "@surety/core/refund/decideRefund"
import { RefundStore } from "@surety/core/refund/RefundStore"
import * as Fresh from "@surety/testing/FreshIds"
import * as FreshOperatorTransfer from "@surety/testing/ledger/FreshOperatorTransfer"
import * as LedgerChecks from "@surety/testing/ledger/LedgerChecks"
import * as FreshMerchant from "@surety/testing/merchant/FreshMerchant"
import * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Deferred, Effect, Exit, Fiber, Random, Schedule } from "effect"
import { someoneWaits } from "../someoneWaits.js"
import * as TestStores from "../TestStores.js"
import { refundedMinor, refundsOf } from "./RefundedSale.js"

/**
 * Kinds of account that a refund locks. `query` finds a row by its key, and `keyOf` returns the key of a sale's row. A
 * batch locks the rows in the order of these keys.
 */
const lockedRows = {
  wallets: {
    query: "select 1 from surety.account where kind = 'WALLET' and user_id = $1",
    keyOf: ({ consumer }: FreshPayment.Sale): string => consumer.userId
  },
  settlements: {
    query: "select 1 from surety.account where kind = 'SETTLEMENT' and merchant_id = $1::uuid",
    keyOf: ({ scope }: FreshPayment.Sale) => toUuid(scope.merchantId)
  }
} as const

const longLocks = TestStores.postgresWith({ refundLockTimeoutMillis: TestStores.patience.operationTimeoutMillis })

it.layer(longLocks, { excludeTestServices: true })("a batch", (it) => {
  for (const [rows, { keyOf, query }] of Object.entries(lockedRows)) {
    it.effect(`locks its ${rows} in the order of their keys, for any order of the requests`, () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const made = yield* Effect.replicateEffect(FreshPayment.settled({ amountMinor: 10n }), 2)
        const [least, greatest] = made.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
        if (least === undefined || greatest === undefined) return assert.fail()
        const take = (sale: FreshPayment.Sale) =>
          Effect.map(sql.unsafe(`${query} for no key update skip locked`, [keyOf(sale)]), (free) => free.length > 0)
        const taken = yield* Deferred.make<boolean>()
        const letGo = yield* Deferred.make<void>()
        const holder = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.andThen(Deferred.complete(taken, Effect.orDie(take(greatest))), Deferred.await(letGo))
          )
        )
        assert.isTrue(yield* Deferred.await(taken))
        const batch = yield* Effect.forkChild(
          Effect.forEach([greatest, least], ({ payment, scope }) => RefundAttempt.executed(scope, payment), {
            concurrency: "unbounded"
          })
        )
        yield* someoneWaits
        assert.isFalse(yield* take(least), "it waits for the second with the first in its hands")
        yield* Deferred.succeed(letGo, undefined)
        yield* Fiber.join(holder)
        assert.lengthOf(yield* Fiber.join(batch), 2)
      })
    )
  }
})

it.layer(TestStores.postgres, { excludeTestServices: true })("refunds at the same time", (it) => {
  it.effect("that wait for a host's transaction on the same payment are decided on what it left", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
      const refunded = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const host = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* RefundAttempt.executed(sale.scope, sale.payment, { amountMinor: 700n })
            yield* Deferred.succeed(refunded, undefined)
            yield* Deferred.await(goOn)
          })
        )
      )
      yield* Deferred.await(refunded)
      const waiting = yield* Effect.forkChild(
        Effect.all(
          [400n, 300n].map((amountMinor) => RefundAttempt.make(sale.scope, sale.payment, { amountMinor })),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep("50 millis")
      assert.isUndefined(waiting.pollUnsafe(), "the payment is the host's until it commits")
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(host)
      const decisions = (yield* Fiber.join(waiting)).map(RefundAttempt.nameOf)
      assert.deepStrictEqual(decisions, ["AmountExceedsRefundable", "Execute"])
      assert.strictEqual(yield* refundedMinor(sale), 1_000n)
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("never take a settlement balance below zero if another transaction debits it meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const sold = FreshPayment.settled({ scope, amountMinor: 100n })
      const [host, first, second] = yield* Effect.replicateEffect(sold, 3)
      if (host === undefined || first === undefined || second === undefined) return assert.fail()
      const amount = { ...host.payment.amount, minor: 150n }
      const payout = FreshOperatorTransfer.toMerchant(host, { kind: "PAYOUT", amount })
      yield* (yield* OperatorTransferStore).post(FreshOperatorTransfer.postPlanOf(payout))
      const taken = yield* Deferred.make<void>()
      const letGo = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* RefundAttempt.executed(scope, host.payment, { amountMinor: 90n })
            yield* Deferred.succeed(taken, undefined)
            yield* Deferred.await(letGo)
          })
        )
      )
      yield* Deferred.await(taken)
      const waiting = yield* Effect.forkChild(
        Effect.forEach([first, second], ({ payment }) => RefundAttempt.make(scope, payment, { amountMinor: 60n }), {
          concurrency: "unbounded"
        })
      )
      yield* Effect.sleep("50 millis")
      assert.isUndefined(waiting.pollUnsafe(), "the account is the host's until it commits")
      yield* Deferred.succeed(letGo, undefined)
      yield* Fiber.join(holder)
      const decisions = yield* Fiber.join(waiting)
      assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 1, InsufficientSettlementBalance: 1 })
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(host)), 0n)
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("go together, and one whose decision cannot be committed spoils no other", () =>
    Effect.gen(function* () {
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const sales = yield* Effect.replicateEffect(FreshPayment.settled({ scope, amountMinor: 100n }), 40)
      const taken = yield* RefundAttempt.executed(scope, sales[0]?.payment ?? assert.fail(), { amountMinor: 1n })
      const exits = yield* Effect.forEach(
        sales.entries(),
        ([index, { payment }]) =>
          Effect.exit(
            RefundAttempt.make(scope, payment, {
              amountMinor: 10n,
              change: (plan) => {
                if (index === 7) throw new Error("a decision that cannot be made")
                return index === 23 ? { ...plan, transfer: { ...plan.transfer, id: taken.transfer.id } } : plan
              }
            })
          ),
        { concurrency: "unbounded" }
      )
      const failed = [...exits.entries()].flatMap(([index, exit]) => (Exit.isFailure(exit) ? [index] : []))
      assert.deepStrictEqual(failed, [7, 23])
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sales[23] ?? assert.fail())), 0n)
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("open accounts at their first use", () =>
    Effect.gen(function* () {
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make({ settings: { settlementOverdraft: true } }))
      const { consumer, payment } = yield* FreshPayment.settled({ scope, method: "CARD", amountMinor: 900n })
      const store = yield* RefundStore
      const model = yield* FreshPayment.settled({ amountMinor: 900n })
      const plan = yield* RefundAttempt.executed(model.scope, model.payment)
      const at = plan.refund.createdAt
      const idempotencyKey = Fresh.idempotencyKey()
      const credit = { ...plan.transfer.credit, owner: consumer.userId, books: scope.merchantId }
      const decision: RefundDecision = {
        _tag: "Execute",
        plan: {
          ...plan,
          refund: { ...plan.refund, ...scope, id: Fresh.refundId(at), paymentId: payment.id, userId: consumer.userId },
          transfer: {
            ...plan.transfer,
            id: Fresh.transferId(at),
            debit: { ...plan.transfer.debit, owner: scope.merchantId, books: scope.merchantId },
            credit
          },
          paymentId: payment.id,
          idempotencyKey,
          event: plan.event && { ...plan.event, ...scope, id: Fresh.eventId(at) }
        }
      }
      yield* store.execute({ scope, idempotencyKey, paymentId: payment.id, reference: undefined }, () => decision)
      assert.strictEqual(yield* LedgerChecks.balanceMinor(credit), 900n)
    })
  )

  it.effect("are finished when their callers go away, and are lost to none of the others", () =>
    Effect.gen(function* () {
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const sales = yield* Effect.replicateEffect(FreshPayment.settled({ scope, amountMinor: 100n }), 60)
      const fibers = yield* Effect.forEach(sales, ({ payment }) =>
        Effect.forkChild(RefundAttempt.make(scope, payment, { amountMinor: 10n }))
      )
      yield* Effect.sleep("1 millis")
      const leaving = fibers.filter((_, index) => index % 3 === 0)
      yield* Effect.forEach(leaving, Fiber.interrupt, { concurrency: "unbounded" })
      const staying = fibers.filter((_, index) => index % 3 !== 0)
      const decisions = yield* Effect.forEach(staying, Fiber.join)
      assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 40 })
      const addUp = Effect.forEach(sales, (sale) =>
        Effect.gen(function* () {
          const total = (yield* refundsOf(sale)).reduce((sum, { amount }) => sum + amount.minor, 0n)
          return total === (yield* refundedMinor(sale))
        })
      )
      // A refund whose caller was interrupted may still complete between the two reads of a sale.
      yield* Effect.repeat(addUp, { until: (sales) => sales.every(Boolean), schedule: Schedule.spaced("50 millis") })
      yield* LedgerChecks.expectSound
    })
  )

  it.effect("are all or nothing while connections are cut, and a retry with the same key finishes each once", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
      const sales = yield* Effect.replicateEffect(FreshPayment.settled({ scope, amountMinor: 500n }), 25)
      const first = sales[0] ?? assert.fail()
      const cutting = yield* Effect.forkChild(
        Effect.gen(function* () {
          yield* Effect.sleep(yield* Random.nextIntBetween(1, 15))
          yield* sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`.pipe(Effect.ignore)
          // Stops after 50 cuts, since a busy machine may need longer to connect than the time between two cuts.
        }).pipe(Effect.repeat({ times: 49 }))
      )
      let failures = 0
      const attempts = Array.from({ length: 200 }, (_, index) => {
        const { payment } = sales[index % sales.length] ?? first
        const attempt = RefundAttempt.make(scope, payment, { amountMinor: 10n, key: Fresh.idempotencyKey() })
        return Effect.delay(attempt, index * 2).pipe(
          Effect.tapError(() => Effect.sync(() => (failures += 1))),
          Effect.retry({ times: 1_000, while: (error) => error.isRetryable, schedule: Schedule.spaced("5 millis") })
        )
      })
      const decisions = yield* Effect.all(attempts, { concurrency: "unbounded" })
      yield* Fiber.interrupt(cutting)
      assert.isAbove(failures, 0)
      const { Execute = 0, Replay = 0 } = RefundAttempt.tally(decisions)
      assert.strictEqual(Execute + Replay, 200)
      for (const sale of sales) {
        assert.lengthOf(yield* refundsOf(sale), 8)
        assert.strictEqual(yield* refundedMinor(sale), 80n)
      }
      assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(first)), 25n * 420n)
      yield* LedgerChecks.expectSound
    })
  )
})
