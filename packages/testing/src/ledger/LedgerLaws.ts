import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type Currency, fromCode } from "@surety/core/Currency"
import type { ConsentStore } from "@surety/core/consent/ConsentStore"
import type { Environment } from "@surety/core/Environment"
import type { KycStore } from "@surety/core/kyc/KycStore"
import { accountKeyText, external } from "@surety/core/ledger/Account"
import { Ledger } from "@surety/core/ledger/Ledger"
import type { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import { Effect, type Layer, Option } from "effect"
import * as ConsentAuditLaws from "../consent/ConsentAuditLaws.js"
import { law, lawAlone, suiteOf } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import type { RefundStorePorts as RefundPorts } from "../refund/RefundStoreLaws.js"
import * as AccountPartLaws from "./AccountPartLaws.js"
import * as LedgerChecks from "./LedgerChecks.js"
import * as MerchantAuditLaws from "./MerchantAuditLaws.js"

type Ports = RefundPorts | ConsentStore | KycStore | OperatorTransferStore

const kes: Currency = fromCode("KES") ?? assert.fail("ISO 4217 has KES")

const lineOf = Effect.fnUntraced(function* (environment: Environment, currency: Currency) {
  const lines = yield* (yield* Ledger).trialBalance
  const own = lines.filter((line) => line.environment === environment && line.currency === currency)
  assert.isAtMost(own.length, 1, "one line for an environment and currency")
  return { debitsMinor: own[0]?.debitsMinor ?? 0n, creditsMinor: own[0]?.creditsMinor ?? 0n }
})

export const foldsEveryPosting = lawAlone(
  "adds up every posting in the trial balance, by environment and currency",
  Effect.gen(function* () {
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const before = { live: yield* lineOf("LIVE", kes), test: yield* lineOf("TEST", kes) }
    const outsideMinor = (yield* LedgerChecks.balanceMinor(external("LIVE", kes))) ?? 0n
    const { payment } = yield* FreshPayment.settled({ scope, currency: kes, amountMinor: 1_000n })
    yield* RefundAttempt.executed(scope, payment, { amountMinor: 300n })
    const after = yield* lineOf("LIVE", kes)
    // The sale moves 1,000 into the wallet, then 1,000 from the wallet to the merchant. Then 300 is refunded.
    assertEquals(after, {
      debitsMinor: before.live.debitsMinor + 2_300n,
      creditsMinor: before.live.creditsMinor + 2_300n
    })
    assertEquals(yield* lineOf("TEST", kes), before.test, "the other environment's sums stay")
    assert.strictEqual(yield* LedgerChecks.balanceMinor(external("LIVE", kes)), outsideMinor - 1_000n)
    yield* LedgerChecks.expectSound
  })
)

export const tellsBalance = law(
  "tells the balance of an account, of its kind, owner, currency and environment, and none of one that is not open",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const settlement = FreshPayment.settlementAccount(sale)
    assertEquals(yield* ledger.balance(settlement), Option.some(10_000n))
    assertEquals(yield* ledger.balance(FreshPayment.walletAccount(sale)), Option.some(0n))
    assertEquals(yield* ledger.balance({ ...settlement, currency: kes }), Option.none())
    assertEquals(yield* ledger.balance({ ...settlement, environment: "TEST" }), Option.none())
    const outside = external(settlement.environment, settlement.currency)
    const told = yield* ledger.balance(outside)
    assert.isTrue(
      Option.exists(told, (minor) => minor < 0n),
      "what came in is owed to the outside"
    )
  })
)

export const listsBalances = law(
  "lists an environment's accounts with their balances, in pages that skip and repeat none while accounts are opened",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const settle = Effect.tap(FreshPayment.settled({ scope, currency: kes, amountMinor: 100n }), ({ payment }) =>
      RefundAttempt.executed(scope, payment, { amountMinor: 10n })
    )
    const sales = yield* Effect.replicateEffect(settle, 4)
    const live = yield* FreshPayment.settled({ scope: FreshMerchant.otherEnvironment(scope), currency: kes })
    const seen = new Map<string, bigint>()
    let cursor: string | undefined
    do {
      const page = yield* ledger.balances("TEST", { limit: 3, cursor })
      assert.isAtMost(page.data.length, 3)
      for (const { balanceMinor, key } of page.data) {
        assert.strictEqual(key.environment, "TEST")
        assert.isFalse(seen.has(accountKeyText(key)), "no account is shown twice")
        seen.set(accountKeyText(key), balanceMinor)
      }
      if (seen.size <= 6) yield* settle
      cursor = page.nextCursor
    } while (cursor !== undefined)
    for (const sale of sales) assert.strictEqual(seen.get(accountKeyText(FreshPayment.walletAccount(sale))), 10n)
    assert.isFalse(seen.has(accountKeyText(FreshPayment.settlementAccount(live))))
    const first = sales[0] ?? assert.fail("there are four")
    assert.isTrue(seen.has(accountKeyText(FreshPayment.settlementAccount(first))))
  })
)

export const soundUnderLoad = law(
  "stays balanced, with balances equal to their postings, while payments and refunds of all kinds come at once",
  Effect.gen(function* () {
    const scopes = yield* Effect.replicateEffect(Effect.map(FreshMerchant.make(), FreshMerchant.scopeOf), 3)
    const trade = Effect.fnUntraced(function* (index: number) {
      const home = scopes[index % 3] ?? assert.fail("there are three")
      const scope = index % 2 === 0 ? home : FreshMerchant.otherEnvironment(home)
      const { payment } = yield* FreshPayment.settled({ scope, amountMinor: 100n })
      yield* Effect.forEach([60n, 60n, 40n], (amountMinor) => RefundAttempt.make(scope, payment, { amountMinor }), {
        concurrency: "unbounded"
      })
    })
    yield* Effect.forEach(Array.from({ length: 30 }).keys(), trade, { concurrency: "unbounded" })
    yield* LedgerChecks.expectSound
  })
)

export const auditsInSteps = lawAlone(
  "checks what is new in steps that come to an end, and finds nothing in sound books",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const audit = Effect.fnUntraced(function* (afresh: boolean) {
      let step = yield* ledger.auditNext(afresh)
      for (let taken = 1; !step.isLast && taken < 100; taken += 1) {
        assertEquals([...step.faults], [])
        step = yield* ledger.auditNext(false)
      }
      assert.isTrue(step.isLast, "a hundred steps are enough")
      assertEquals([...step.faults], [])
    })
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { payment } = yield* FreshPayment.settled({ scope, currency: kes, amountMinor: 1_000n })
    yield* audit(true)
    const before = yield* lineOf("LIVE", kes)
    yield* RefundAttempt.executed(scope, payment, { amountMinor: 300n })
    yield* audit(false)
    assertEquals(yield* lineOf("LIVE", kes), {
      debitsMinor: before.debitsMinor + 300n,
      creditsMinor: before.creditsMinor + 300n
    })
  })
)

export const findsTransfer = law(
  "finds a transfer by its id with both accounts and its cause, in its own environment alone",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make(), "TEST")
    const sale = yield* FreshPayment.settled({ scope, amountMinor: 1_000n })
    const { refund, transfer } = yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 300n })
    const statement = yield* ledger.postings(FreshPayment.settlementAccount(sale), { limit: 10, cursor: undefined })
    assert.lengthOf(statement.data, 2, "the payment and the refund")
    for (const posting of statement.data) {
      assertEquals(yield* ledger.transfer("TEST", posting.transfer.id), Option.some(posting.transfer))
      assertEquals(yield* ledger.transfer("LIVE", posting.transfer.id), Option.none())
    }
    const found = yield* ledger.transfer("TEST", transfer.id)
    assertEquals(
      Option.map(found, ({ cause }) => cause),
      Option.some<string>(refund.id)
    )
  })
)

export const laws = [
  findsTransfer,
  foldsEveryPosting,
  tellsBalance,
  listsBalances,
  soundUnderLoad,
  auditsInSteps,
  ...MerchantAuditLaws.laws,
  ...AccountPartLaws.laws,
  ...ConsentAuditLaws.laws
]

export const suite: (adapter: string, layer: Layer.Layer<Ports, unknown>) => void = suiteOf<Ports>("Ledger", laws)
