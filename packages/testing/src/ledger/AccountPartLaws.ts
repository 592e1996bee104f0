import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type Currency, fromCode } from "@surety/core/Currency"
import { type AccountKey, accountKeyText, external } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { OperatorTransfer } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import { Effect } from "effect"
import { law, lawAlone } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import * as FreshOperatorTransfer from "./FreshOperatorTransfer.js"
import * as LedgerChecks from "./LedgerChecks.js"

/** A currency that only this file's laws use, so its external account has few postings. */
const ugx: Currency = fromCode("UGX") ?? assert.fail("ISO 4217 has UGX")

/** Settles one consumer's sales at two merchants, and refunds 30 and 20 minor units to the wallet. */
const atTwoMerchants = Effect.gen(function* () {
  const sale = { currency: ugx, amountMinor: 100n }
  const first = yield* FreshPayment.settled(sale)
  const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
  const second = yield* FreshPayment.settled({ ...sale, scope, consumer: first.consumer })
  yield* RefundAttempt.executed(first.scope, first.payment, { amountMinor: 30n })
  yield* RefundAttempt.executed(scope, second.payment, { amountMinor: 20n })
  return { first, second, wallet: FreshPayment.walletAccount(first) }
})

/** Returns every balance listed for the account. A sound ledger lists an open account once. */
const balancesOf = Effect.fnUntraced(function* (key: AccountKey) {
  const ledger = yield* Ledger
  const accounts = yield* PageWalk.all((page) => ledger.balances(key.environment, page), 100)
  return accounts
    .filter((account) => accountKeyText(account.key) === accountKeyText(key))
    .map((one) => one.balanceMinor)
})

const statement = (key: AccountKey) =>
  Effect.flatMap(Ledger, (ledger) => PageWalk.all((page) => ledger.postings(key, page), 2))

const withdrawal = (sale: FreshPayment.Sale, minor: bigint): OperatorTransfer =>
  FreshOperatorTransfer.toConsumer(sale, { kind: "WITHDRAWAL", amount: { currency: ugx, minor } })

/** Tries to pay the sale's merchant from the consumer's wallet, and returns the outcome. */
const paid = Effect.fnUntraced(function* ({ consumer, scope }: FreshPayment.Sale, amountMinor: bigint) {
  const { payment } = yield* FreshPayment.unstored({ scope, consumer, currency: ugx, amountMinor })
  return yield* (yield* PaymentStore).record(FreshPayment.fromBalanceOf(payment))
})

export const sumsParts = lawAlone(
  "shows what a consumer has at several merchants as one wallet, and all that came in as one account: sum and statement",
  Effect.gen(function* () {
    const outside = external("LIVE", ugx)
    const outsideMinor = (yield* balancesOf(outside))[0] ?? 0n
    const { first, second, wallet } = yield* atTwoMerchants
    const { transfer } = yield* RefundAttempt.executed(second.scope, second.payment, { amountMinor: 7n })
    assertEquals(yield* balancesOf(wallet), [57n])
    assertEquals(yield* balancesOf(outside), [outsideMinor - 200n])
    const lines = yield* statement(wallet)
    const ids = lines.map((line) => line.transfer.id)
    assertEquals(ids, ids.toSorted().toReversed(), "newest first")
    assert.strictEqual(new Set(ids).size, 7)
    assert.include(ids, transfer.id)
    const own = lines.map(({ side, transfer: { credit, debit } }) => (side === "DEBIT" ? debit : credit))
    for (const part of own) assert.strictEqual(accountKeyText(part), accountKeyText(wallet))
    const books = own.map((part) => part.books)
    for (const [sale, count] of [
      [first, 3],
      [second, 4]
    ] as const) {
      assert.lengthOf(
        books.filter((one) => one === sale.scope.merchantId),
        count
      )
    }
    const causes = new Set((yield* statement(outside)).map((line) => line.transfer.cause))
    for (const { payment } of [first, second]) assert.isTrue(causes.has(payment.id), "both merchants' money came in")
    yield* LedgerChecks.expectSound
  })
)

export const drawsOnAllParts = law(
  "takes from a wallet, and pays from it, what lies at several merchants together, and no more",
  Effect.gen(function* () {
    const { post } = yield* OperatorTransferStore
    const { first, second, wallet } = yield* atTwoMerchants
    assertEquals(yield* post(FreshOperatorTransfer.postPlanOf(withdrawal(first, 25n))), { _tag: "Posted" })
    assertEquals(yield* balancesOf(wallet), [25n])
    const tooMuch = yield* post(FreshOperatorTransfer.postPlanOf(withdrawal(first, 26n)))
    assertEquals(tooMuch, { _tag: "Insufficient", balanceMinor: 25n })
    assert.strictEqual(yield* paid(second, 26n), "balance_too_small")
    assert.strictEqual(yield* paid(second, 25n), "recorded")
    assertEquals(yield* balancesOf(wallet), [0n])
    assert.strictEqual(yield* paid(first, 1n), "balance_too_small", "also where a part is positive")
    yield* LedgerChecks.expectSound
  })
)

export const drawsAtOnce = law(
  "takes no more from a wallet than it holds, of withdrawals and of payments at several merchants at once",
  Effect.gen(function* () {
    const { post } = yield* OperatorTransferStore
    const { first, second, wallet } = yield* atTwoMerchants
    const withdraw = Effect.map(
      Effect.suspend(() => post(FreshOperatorTransfer.postPlanOf(withdrawal(first, 15n)))),
      ({ _tag }) => _tag === "Posted"
    )
    const pay = (sale: FreshPayment.Sale) => Effect.map(paid(sale, 15n), (outcome) => outcome === "recorded")
    const outcomes = yield* Effect.all(Array.from({ length: 4 }, () => [withdraw, pay(first), pay(second)]).flat(), {
      concurrency: "unbounded"
    })
    assert.lengthOf(outcomes.filter(Boolean), 3)
    assertEquals(yield* balancesOf(wallet), [5n])
    yield* LedgerChecks.expectSound
  })
)

export const laws = [sumsParts, drawsOnAllParts, drawsAtOnce]
