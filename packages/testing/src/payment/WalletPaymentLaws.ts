import { assert } from "@effect/vitest"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { Effect } from "effect"
import { law } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import * as FreshPayment from "./FreshPayment.js"

export const paysFromBalance = law(
  "pays from what the wallet holds, never more, under any concurrency",
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const sale = yield* FreshPayment.settled({ amountMinor: 1_000n })
    const { consumer, scope } = sale
    yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 400n })
    const plan = Effect.gen(function* () {
      const { payment } = yield* FreshPayment.unstored({ scope, consumer, amountMinor: 150n })
      return { id: payment.id, outcome: yield* store.record(FreshPayment.fromBalanceOf(payment)) }
    })
    const records = yield* Effect.replicateEffect(plan, 8, { concurrency: "unbounded" })
    assert.strictEqual(records.filter(({ outcome }) => outcome === "recorded").length, 2)
    assert.strictEqual(records.filter(({ outcome }) => outcome === "balance_too_small").length, 6)
    assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 100n)
    assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale)), 900n)
    const taken = records.find(({ outcome }) => outcome === "recorded")
    const { payment } = yield* FreshPayment.unstored({ scope, consumer, amountMinor: 150n })
    const again = FreshPayment.fromBalanceOf({ ...payment, id: taken?.id ?? assert.fail("two are recorded") })
    assert.strictEqual(yield* store.record(again), "id_taken", "also while the balance is too small for it")
    yield* LedgerChecks.expectSound
  })
)
