import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { RefundDecision } from "@surety/core/refund/decideRefund"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, Random } from "effect"
import * as Fresh from "../FreshIds.js"
import { law } from "../Law.js"
import * as FreshOperatorTransfer from "../ledger/FreshOperatorTransfer.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "./RefundAttempt.js"

const sumOf = (decisions: ReadonlyArray<RefundDecision>): bigint =>
  decisions.reduce((sum, decision) => (decision._tag === "Execute" ? sum + decision.plan.refund.amount.minor : sum), 0n)

/**
 * Fails unless the payment's refunded total, the wallet's balance and the sum of the refunds all equal `refundedMinor`.
 * Also fails unless the settlement balance is the rest of the payment and the ledger is sound.
 */
const expectRefunded = Effect.fnUntraced(function* (sale: FreshPayment.Sale, refundedMinor: bigint) {
  const refunds = yield* RefundStore
  const { payment, scope } = sale
  const { byId } = yield* RefundAttempt.look(scope, payment)
  assert.strictEqual(byId?.refundedMinor, refundedMinor, "the payment's refunded total")
  const stored = yield* PageWalk.all((page) => refunds.list(scope, { paymentId: payment.id }, page), 100)
  assert.strictEqual(
    stored.reduce((sum, { amount }) => sum + amount.minor, 0n),
    refundedMinor,
    "the refunds' sum"
  )
  const owed = yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale))
  assert.strictEqual(owed, payment.amount.minor - refundedMinor, "the settlement balance")
  assert.strictEqual(
    yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)),
    refundedMinor,
    "the wallet's balance"
  )
  yield* LedgerChecks.expectSound
})

const atOnce = <A, B, E, R>(inputs: ReadonlyArray<A>, run: (input: A) => Effect.Effect<B, E, R>) =>
  Effect.forEach(inputs, run, { concurrency: "unbounded" })

export const neverMoreThanPaid = law(
  "never refunds more than the payment: 50 refunds of random amounts at once",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { payment, scope } = sale
    const amounts = yield* Effect.replicateEffect(Random.nextIntBetween(1, 800), 50)
    const decisions = yield* atOnce(amounts, (amount) =>
      RefundAttempt.make(scope, payment, { amountMinor: BigInt(amount) })
    )
    const { AlreadyRefunded = 0, AmountExceedsRefundable = 0, Execute = 0 } = RefundAttempt.tally(decisions)
    assert.strictEqual(
      Execute + AlreadyRefunded + AmountExceedsRefundable,
      50,
      "executed, or refused for lack of money"
    )
    assert.isTrue(sumOf(decisions) <= 10_000n)
    yield* expectRefunded(sale, sumOf(decisions))
    const leftMinor = 10_000n - sumOf(decisions)
    for (const [index, decision] of decisions.entries()) {
      const refusedForNothing = decision._tag === "Refuse" && BigInt(amounts[index] ?? 0) <= leftMinor
      assert.isFalse(refusedForNothing, "what still fits at the end was not refused before")
    }
  })
)

export const fillsExactly = law(
  "refunds to the last unit: 50 refunds at once that fill the payment but for one, then that one, then no more",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 1_251n })
    const { payment, scope } = sale
    const amounts = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 20n : 30n))
    const decisions = yield* atOnce(amounts, (amountMinor) => RefundAttempt.make(scope, payment, { amountMinor }))
    assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 50 })
    yield* expectRefunded(sale, 1_250n)
    const two = yield* RefundAttempt.make(scope, payment, { amountMinor: 2n })
    assert.strictEqual(RefundAttempt.nameOf(two), "AmountExceedsRefundable")
    const last = yield* atOnce(Array.from({ length: 10 }), () =>
      RefundAttempt.make(scope, payment, { amountMinor: 1n })
    )
    assert.deepStrictEqual(RefundAttempt.tally(last), { Execute: 1, AlreadyRefunded: 9 })
    yield* expectRefunded(sale, 1_251n)
  })
)

export const oneFullRefund = law(
  "makes one of 20 full refunds at once under keys of their own",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const decisions = yield* atOnce(Array.from({ length: 20 }), () => RefundAttempt.make(sale.scope, sale.payment))
    assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 1, AlreadyRefunded: 19 })
    yield* expectRefunded(sale, 10_000n)
  })
)

export const oneRefundPerKey = law(
  "makes one refund of 20 requests at once with one key, and gives the others its answer",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const key = Fresh.idempotencyKey()
    const decisions = yield* atOnce(Array.from({ length: 20 }), () =>
      RefundAttempt.make(sale.scope, sale.payment, { key, amountMinor: 100n })
    )
    assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 1, Replay: 19 })
    const answers = decisions.map((decision) =>
      decision._tag === "Execute" ? decision.plan.answer : decision._tag === "Replay" ? decision.answer : undefined
    )
    assert.strictEqual(new Set(answers).size, 1, "one answer for all")
    yield* expectRefunded(sale, 100n)
  })
)

export const oneRequestPerKey = law(
  "lets one request have a key of 20 different ones at once, on one payment and on several",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { payment, scope } = sale
    const amounts = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
    const key = Fresh.idempotencyKey()
    const decisions = yield* atOnce(amounts, (amountMinor) => RefundAttempt.make(scope, payment, { key, amountMinor }))
    assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 1, KeyReused: 19 })
    yield* expectRefunded(sale, sumOf(decisions))
    const merchant = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const sales = yield* Effect.forEach(amounts, () => FreshPayment.settled({ scope: merchant, amountMinor: 100n }))
    const another = Fresh.idempotencyKey()
    const elsewhere = yield* atOnce(sales, (each) => RefundAttempt.make(merchant, each.payment, { key: another }))
    assert.deepStrictEqual(RefundAttempt.tally(elsewhere), { Execute: 1, KeyReused: 19 })
    yield* LedgerChecks.expectSound
  })
)

/** Settles ten payments of 100 minor units for a new merchant. Pays out 70 of each from its settlement account. */
const thinlySettled = Effect.fnUntraced(function* (settlementOverdraft: boolean) {
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make({ settings: { settlementOverdraft } }))
  const sales = yield* Effect.forEach(Array.from({ length: 10 }), () =>
    FreshPayment.settled({ scope, amountMinor: 100n })
  )
  const first = sales[0] ?? assert.fail("there are ten")
  const amount = { ...first.payment.amount, minor: 700n }
  const payout = FreshOperatorTransfer.postPlanOf(FreshOperatorTransfer.toMerchant(first, { kind: "PAYOUT", amount }))
  assertEquals(yield* (yield* OperatorTransferStore).post(payout), { _tag: "Posted" })
  return { scope, sales, account: FreshPayment.settlementAccount(first) }
})

export const settlementNeverOverdrawn = law(
  "never takes the settlement balance below zero if overdraft is not allowed: refunds of many payments at once",
  Effect.gen(function* () {
    const { account, sales, scope } = yield* thinlySettled(false)
    const decisions = yield* atOnce(sales, ({ payment }) => RefundAttempt.make(scope, payment))
    assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 3, InsufficientSettlementBalance: 7 })
    assert.strictEqual(yield* LedgerChecks.balanceMinor(account), 0n)
    yield* FreshMerchant.saveSettings(scope.merchantId, (settings) => ({ ...settings, settlementOverdraft: true }))
    const late = yield* atOnce(sales, ({ payment }) => RefundAttempt.make(scope, payment))
    assert.deepStrictEqual(RefundAttempt.tally(late), { Execute: 7, AlreadyRefunded: 3 })
    assert.strictEqual(yield* LedgerChecks.balanceMinor(account), -700n)
    yield* LedgerChecks.expectSound
  })
)

export const hotAccountLosesNothing = law(
  "loses no movement of an account that many refunds move at once",
  Effect.gen(function* () {
    const { account, sales, scope } = yield* thinlySettled(true)
    const attempts = sales.flatMap(({ payment }) => [payment, payment, payment, payment])
    const decisions = yield* atOnce(attempts, (payment) => RefundAttempt.make(scope, payment, { amountMinor: 25n }))
    assert.deepStrictEqual(RefundAttempt.tally(decisions), { Execute: 40 })
    assertEquals(yield* LedgerChecks.balanceMinor(account), -700n)
    yield* LedgerChecks.expectSound
  })
)

export const laws = [
  neverMoreThanPaid,
  fillsExactly,
  oneFullRefund,
  oneRefundPerKey,
  oneRequestPerKey,
  settlementNeverOverdrawn,
  hotAccountLosesNothing
]
