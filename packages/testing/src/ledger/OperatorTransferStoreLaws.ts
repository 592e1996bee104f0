import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { ConsumerStore } from "@surety/core/consumer/ConsumerStore"
import { type AccountKey, accountKeyText } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import { ownAccount, transferOf } from "@surety/core/ledger/OperatorTransfer"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { MerchantStore } from "@surety/core/merchant/MerchantStore"
import type { PaymentStore } from "@surety/core/payment/PaymentStore"
import { Effect, type Layer, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import { law, suiteOf } from "../Law.js"
import * as PageWalk from "../PageWalk.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import { postPlanOf, toConsumer, toMerchant } from "./FreshOperatorTransfer.js"
import * as LedgerChecks from "./LedgerChecks.js"

/** Settles a new sale that leaves 10,000 minor units with the merchant and nothing in the consumer's wallet. */
const sold = FreshPayment.settled({ amountMinor: 10_000n })

const balance = (key: AccountKey) => Effect.map(LedgerChecks.balanceMinor(key), (minor) => minor ?? 0n)

const statement = (key: AccountKey) =>
  Effect.flatMap(Ledger, (ledger) => PageWalk.all((page) => ledger.postings(key, page), 2))

export const postsEachKind = law(
  "posts each kind between its account and the outside, with both balances, and its postings say so",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const sale = yield* sold
    const posted = [
      toMerchant(sale, { kind: "PAYOUT" }),
      toMerchant(sale, { kind: "ADJUSTMENT", direction: "DEBIT" }),
      toMerchant(sale, { kind: "ADJUSTMENT", direction: "CREDIT", amount: { ...sale.payment.amount, minor: 3n } }),
      toConsumer(sale, { kind: "FUNDING", amount: { ...sale.payment.amount, minor: 500n } }),
      toConsumer(sale, { kind: "WITHDRAWAL", amount: { ...sale.payment.amount, minor: 200n } })
    ]
    for (const transfer of posted) assertEquals(yield* store.post(postPlanOf(transfer)), { _tag: "Posted" })
    assert.strictEqual(yield* balance(FreshPayment.settlementAccount(sale)), 8_003n)
    assert.strictEqual(yield* balance(FreshPayment.walletAccount(sale)), 300n)
    for (const transfer of posted) {
      const movement = transferOf(transfer)
      const lines = yield* statement(ownAccount(transfer))
      const line = lines.find((found) => found.transfer.id === movement.id)
      assertEquals(line?.transfer, movement)
      assert.strictEqual(
        line?.side,
        accountKeyText(movement.debit) === accountKeyText(ownAccount(transfer)) ? "DEBIT" : "CREDIT"
      )
    }
    yield* LedgerChecks.expectSound
  })
)

export const neverBelowZero = law(
  "takes no more than an account has, and nothing from one that is not open",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const sale = yield* sold
    const { amount } = sale.payment
    const tooMuch = toMerchant(sale, { kind: "PAYOUT", amount: { ...amount, minor: 10_001n } })
    assertEquals(yield* store.post(postPlanOf(tooMuch)), { _tag: "Insufficient", balanceMinor: 10_000n })
    const unopened = toMerchant(sale, { kind: "ADJUSTMENT", direction: "DEBIT", environment: "TEST" })
    assertEquals(yield* store.post(postPlanOf(unopened)), { _tag: "Insufficient", balanceMinor: 0n })
    const empty = toConsumer(sale, { kind: "WITHDRAWAL", amount: { ...amount, minor: 1n } })
    assertEquals(yield* store.post(postPlanOf(empty)), { _tag: "Insufficient", balanceMinor: 0n })
    assert.strictEqual(yield* balance(FreshPayment.settlementAccount(sale)), 10_000n)
    const all = toMerchant(sale, { kind: "PAYOUT", amount: { ...amount, minor: 10_000n } })
    assertEquals(yield* store.post(postPlanOf(all)), { _tag: "Posted" })
    assert.strictEqual(yield* balance(FreshPayment.settlementAccount(sale)), 0n)
  })
)

export const oneForAKey = law(
  "posts one transfer for a key of an environment, and returns that one for the key from then on",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const sale = yield* sold
    const key = Fresh.idempotencyKey()
    const plans = Array.from({ length: 8 }, () => postPlanOf(toMerchant(sale, { kind: "PAYOUT" }), key))
    const outcomes = yield* Effect.forEach(plans, store.post, { concurrency: "unbounded" })
    const first = plans[outcomes.findIndex(({ _tag }) => _tag === "Posted")] ?? assert.fail("one is posted")
    const existing = { _tag: "Existing", posted: first.posted, fingerprint: first.fingerprint } as const
    assert.lengthOf(
      outcomes.filter(({ _tag }) => _tag === "Posted"),
      1
    )
    for (const outcome of outcomes) if (outcome._tag !== "Posted") assertEquals(outcome, existing)
    const other = postPlanOf(toConsumer(sale, { kind: "FUNDING" }), key)
    assertEquals(yield* store.post(other), existing, "no matter what is asked under the key")
    assert.strictEqual(yield* balance(FreshPayment.settlementAccount(sale)), 9_000n)
    const elsewhere = toMerchant(sale, { kind: "FUNDING", environment: "TEST" })
    assertEquals(yield* store.post(postPlanOf(elsewhere, key)), { _tag: "Posted" }, "the other environment's key")
  })
)

export const findsByKey = law(
  "finds the transfer that a key of an environment was used for, and its fingerprint",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const sale = yield* sold
    const key = Fresh.idempotencyKey()
    const plan = postPlanOf(toMerchant(sale, { kind: "PAYOUT" }), key)
    assertEquals(yield* store.find("LIVE", key), Option.none())
    yield* store.post(plan)
    yield* store.post(postPlanOf(toConsumer(sale, { kind: "FUNDING" }), key))
    assertEquals(yield* store.find("LIVE", key), Option.some({ posted: plan.posted, fingerprint: plan.fingerprint }))
    assertEquals(yield* store.find("TEST", key), Option.none(), "the other environment's key")
    assertEquals(yield* store.find("LIVE", Fresh.idempotencyKey()), Option.none())
  })
)

export const neverBelowZeroAtOnce = law(
  "takes no more than an account has, of many transfers at once",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const sale = yield* sold
    const amount = { ...sale.payment.amount, minor: 3_000n }
    const outcomes = yield* Effect.forEach(
      Array.from({ length: 8 }, () => postPlanOf(toMerchant(sale, { kind: "PAYOUT", amount }))),
      store.post,
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      outcomes.filter(({ _tag }) => _tag === "Posted"),
      3
    )
    assert.strictEqual(yield* balance(FreshPayment.settlementAccount(sale)), 1_000n)
    yield* LedgerChecks.expectSound
  })
)

export const listsPostings = law(
  "lists an account's postings newest first, in pages that skip and repeat none while it has more",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const ledger = yield* Ledger
    const sale = yield* sold
    const at = (age: number) => Fresh.later(sale.payment.createdAt, age)
    const fund = (age: number) => {
      const posted = toConsumer(sale, { kind: "FUNDING", id: Fresh.transferId(at(age)), at: at(age) })
      return Effect.as(store.post(postPlanOf(posted)), posted.id)
    }
    const ids = yield* Effect.forEach([1_001, 1_002, 1_003, 1_004], fund)
    yield* PageWalk.expectNewestFirst(
      (page) => ledger.postings(FreshPayment.walletAccount(sale), page),
      ({ transfer }) => transfer.id,
      ids.toReversed(),
      fund(2_000)
    )
    const elsewhere = { ...FreshPayment.walletAccount(sale), environment: "TEST" as const }
    assertEquals([...(yield* statement(elsewhere))], [], "one that is not open has none")
  })
)

export const coveredIsNotChecked = law(
  "takes from a wallet what the caller knows to be covered, and never from a merchant what it has not",
  Effect.gen(function* () {
    const store = yield* OperatorTransferStore
    const sale = yield* sold
    const { amount } = sale.payment
    // The withdrawal exceeds this store's balance by 200. `isCovered` means that the caller has found these 200 in
    // another store, so the balance here may become negative.
    yield* store.post(postPlanOf(toConsumer(sale, { kind: "FUNDING", amount: { ...amount, minor: 300n } })))
    const withdrawal = toConsumer(sale, { kind: "WITHDRAWAL", amount: { ...amount, minor: 500n } })
    const plan = postPlanOf(withdrawal)
    assertEquals(yield* store.post(plan), { _tag: "Insufficient", balanceMinor: 300n })
    assertEquals(yield* store.post({ ...plan, isCovered: true }), { _tag: "Posted" })
    assert.strictEqual(yield* balance(FreshPayment.walletAccount(sale)), -200n)
    const payout = toMerchant(sale, { kind: "PAYOUT", amount: { ...amount, minor: 10_001n } })
    const refused = yield* store.post({ ...postPlanOf(payout), isCovered: true })
    assertEquals(refused, { _tag: "Insufficient", balanceMinor: 10_000n })
    yield* store.post(postPlanOf(toConsumer(sale, { kind: "FUNDING", amount: { ...amount, minor: 200n } })))
    yield* LedgerChecks.expectSound
  })
)

export const laws = [
  postsEachKind,
  neverBelowZero,
  oneForAKey,
  findsByKey,
  neverBelowZeroAtOnce,
  listsPostings,
  coveredIsNotChecked
]

/**
 * Registers the laws of `OperatorTransferStore` and `Ledger.postings` as tests, which run in order and share one build
 * of `layer`.
 */
export const suite: (
  adapter: string,
  layer: Layer.Layer<OperatorTransferStore | Ledger | PaymentStore | ConsumerStore | MerchantStore, unknown>
) => void = suiteOf("OperatorTransferStore", laws)
