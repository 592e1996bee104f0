import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import type { MerchantId } from "@surety/core/Ids"
import { Ledger, type LedgerFault } from "@surety/core/ledger/Ledger"
import { OperatorTransferStore } from "@surety/core/ledger/OperatorTransferStore"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Effect, Option, Result } from "effect"
import { Base64Url } from "effect/encoding"
import * as ConsentAttempt from "../consent/ConsentAttempt.js"
import * as Fresh from "../FreshIds.js"
import * as FreshVerification from "../kyc/FreshVerification.js"
import { law } from "../Law.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "../refund/RefundAttempt.js"
import { postPlanOf, toMerchant } from "./FreshOperatorTransfer.js"

const mostSteps = 1_000

/** Runs a merchant's complete audit, step by step. Returns the faults and the number of records checked. */
const auditOf = Effect.fnUntraced(function* (merchantId: MerchantId) {
  const ledger = yield* Ledger
  const faults: Array<LedgerFault> = []
  let records = 0
  let place: string | undefined
  for (let taken = 0; taken < mostSteps; taken += 1) {
    const found = yield* ledger.auditMerchant(merchantId, place)
    if (Option.isNone(found)) return assert.fail("a step's place is known")
    const step = found.value
    faults.push(...step.faults)
    records += step.records
    if (step.next === undefined) return { faults, records }
    place = step.next
  }
  return assert.fail(`${mostSteps} steps are enough`)
})

const sold = Effect.fnUntraced(function* (scope: MerchantScope) {
  const sale = yield* FreshPayment.settled({ scope })
  yield* RefundAttempt.executed(scope, sale.payment, { amountMinor: 300n })
  yield* (yield* OperatorTransferStore).post(postPlanOf(toMerchant(sale, { kind: "PAYOUT" })))
  return sale
})

/**
 * Creates two data requests between the sale's parties: one approved, whose grant is then revoked, and one denied. Also
 * creates a verification of a new person for the sale's merchant.
 */
const consented = Effect.fnUntraced(function* ({ consumer, scope }: FreshPayment.Sale) {
  const ask = ConsentAttempt.askedAnew(scope, consumer, { purpose: Fresh.randomText("purpose") })
  const { request } = yield* ask
  const { grant } = yield* ConsentAttempt.decided(request.id, ConsentAttempt.approveAll)
  yield* ConsentAttempt.revoked(grant ?? assert.fail("an approval makes a grant"))
  const { request: unwelcome } = yield* ask
  yield* ConsentAttempt.decided(unwelcome.id, ConsentAttempt.deny)
  yield* FreshVerification.make({ scope })
})

export const auditsOneMerchant = law(
  "compares a merchant's records of every kind in steps that come to an end, and finds nothing in sound ones",
  Effect.gen(function* () {
    const live = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { merchantId } = live
    assertEquals(yield* auditOf(merchantId), { faults: [], records: 0 })
    let records = 0
    for (const scope of [live, FreshMerchant.otherEnvironment(live)]) {
      const sale = yield* sold(scope)
      const traded = yield* auditOf(merchantId)
      assertEquals(traded.faults, [])
      assert.isAtLeast(traded.records - records, 4, "a payment, a refund, a payout and an account")
      yield* consented(sale)
      const after = yield* auditOf(merchantId)
      assertEquals(after.faults, [])
      assert.isAtLeast(after.records - traded.records, 4, "a grant, two requests and a verification")
      records = after.records
    }
  })
)

export const auditsNoOther = law(
  "compares no record of another merchant, though one person is at both",
  Effect.gen(function* () {
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const sale = yield* sold(scope)
    const before = yield* auditOf(scope.merchantId)
    const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const { payment } = yield* FreshPayment.settled({ scope: other, consumer: sale.consumer })
    yield* RefundAttempt.executed(other, payment, { amountMinor: 300n })
    assertEquals(yield* auditOf(scope.merchantId), before)
    assertEquals(yield* auditOf(Fresh.merchantId(payment.createdAt)), { faults: [], records: 0 })
  })
)

export const refusesUnknownPlace = law(
  "does not audit a merchant from a place that none of its steps returned",
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const scope = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* sold(scope)
    const other = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    const first = yield* ledger.auditMerchant(other.merchantId, undefined)
    const foreign = Option.flatMap(first, ({ next }) => Option.fromUndefinedOr(next))
    const own = Option.flatMap(yield* ledger.auditMerchant(scope.merchantId, undefined), ({ next }) =>
      Option.flatMap(Option.fromUndefinedOr(next), (text) => Result.getSuccess(Base64Url.decodeString(text)))
    )
    const tampered = Option.toArray(own).flatMap((text) => [
      text.replace(/"walk":\d+/u, '"walk":9999'),
      text.replace(/\}$/u, ',"after":[]}')
    ])
    for (const place of ["", "nowhere", ...["{}", ...tampered].map(Base64Url.encode), ...Option.toArray(foreign)]) {
      assertEquals(yield* ledger.auditMerchant(scope.merchantId, place), Option.none())
    }
  })
)

export const laws = [auditsOneMerchant, auditsNoOther, refusesUnknownPlace]
