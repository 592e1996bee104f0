import { assert } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { EventLog } from "@surety/core/event/EventLog"
import { PaymentStore } from "@surety/core/payment/PaymentStore"
import type { RefundPlan } from "@surety/core/refund/decideRefund"
import { RefundStore } from "@surety/core/refund/RefundStore"
import { Effect, Option } from "effect"
import { signalled } from "../event/DispatcherWakes.js"
import * as FreshEndpoint from "../event/FreshEndpoint.js"
import * as FreshEvent from "../event/FreshEvent.js"
import * as Fresh from "../FreshIds.js"
import { law, lawAlone } from "../Law.js"
import * as LedgerChecks from "../ledger/LedgerChecks.js"
import * as FreshMerchant from "../merchant/FreshMerchant.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import * as RefundAttempt from "./RefundAttempt.js"

export const commitsWholePlan = law(
  "commits the refund, the payment's refunded total, both balances, the answer and the event",
  Effect.gen(function* () {
    const refunds = yield* RefundStore
    const payments = yield* PaymentStore
    const events = yield* EventLog
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { payment, scope } = sale
    const items = [{ amountMinor: 1_000n, reason: "torn" }, { amountMinor: 1_500n }]
    const key = Fresh.idempotencyKey()
    const plan = yield* RefundAttempt.executed(scope, payment, {
      amountMinor: 2_500n,
      key,
      change: (plain) => ({ ...plain, refund: { ...plain.refund, items } })
    })
    assertEquals(yield* refunds.find(scope, plan.refund.id), Option.some(plan.refund))
    assertEquals(yield* payments.find(scope, payment.id), Option.some({ ...payment, refundedMinor: 2_500n }))
    assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.settlementAccount(sale)), 7_500n)
    assert.strictEqual(yield* LedgerChecks.balanceMinor(FreshPayment.walletAccount(sale)), 2_500n)
    const event = plan.event ?? assert.fail("a completed refund has an event")
    assertEquals(Option.map(yield* events.find(scope, event.id), FreshEvent.unplaced), Option.some(event))
    const { prior } = yield* RefundAttempt.look(scope, payment, { key })
    assertEquals(prior, { refundId: plan.refund.id, fingerprint: plan.fingerprint, answer: plan.answer })
    yield* LedgerChecks.expectSound
  })
)

export const tellsEndpoints = lawAlone(
  "makes a delivery for each enabled endpoint of the merchant and environment that wants the topic, and wakes the dispatcher",
  Effect.gen(function* () {
    const events = yield* EventLog
    const { payment, scope } = yield* FreshPayment.settled()
    const all = yield* FreshEndpoint.make(scope)
    const exact = yield* FreshEndpoint.make(scope, { topics: ["refund.completed"] })
    const neighbour = FreshMerchant.scopeOf(yield* FreshMerchant.make())
    yield* FreshEndpoint.make(scope, { topics: ["transaction.settled"] })
    yield* FreshEndpoint.make(scope, { status: "DISABLED" })
    yield* FreshEndpoint.make(FreshMerchant.otherEnvironment(scope))
    yield* FreshEndpoint.make(neighbour)
    const at = yield* Fresh.now
    const seen: Array<RefundPlan> = []
    const attempt = RefundAttempt.executed(scope, payment, { amountMinor: 100n, at })
    assert.isTrue(yield* signalled(Effect.map(attempt, (plan) => seen.push(plan))))
    const event = seen[0]?.event ?? assert.fail("a completed refund has an event")
    const deliveries = (yield* events.deliveries(scope, event.id)).map(({ delivery }) => delivery)
    assert.sameMembers(
      deliveries.map(({ endpointId }) => endpointId),
      [all.id, exact.id]
    )
    assert.strictEqual(new Set(deliveries.map(({ id }) => id)).size, 2, "each delivery has an id of its own")
    for (const delivery of deliveries) {
      const { endpointId, id } = delivery
      assertEquals(delivery, {
        id,
        endpointId,
        eventId: event.id,
        ...scope,
        status: "PENDING",
        attempts: 0,
        nextAttemptAt: at,
        createdAt: at
      })
    }
  })
)

export const sleepsWhenNobodyIsTold = lawAlone(
  "does not wake the dispatcher when a commit made no delivery, or when nothing was committed",
  Effect.gen(function* () {
    const { payment, scope } = yield* FreshPayment.settled()
    assert.isFalse(yield* signalled(RefundAttempt.executed(scope, payment, { amountMinor: 100n })))
    yield* FreshEndpoint.make(scope)
    const tooMuch = RefundAttempt.make(scope, payment, { amountMinor: payment.amount.minor })
    assert.isFalse(yield* signalled(tooMuch))
  })
)

export const replays = law(
  "returns the first response for the same key and request, letter for letter, regardless of later changes",
  Effect.gen(function* () {
    const { payment, scope } = yield* FreshPayment.settled()
    const key = Fresh.idempotencyKey()
    const plan = yield* RefundAttempt.executed(scope, payment, { key })
    const settings = { refundsEnabled: false, settlementOverdraft: false }
    yield* FreshMerchant.saveSettings(scope.merchantId, () => settings)
    const again = yield* RefundAttempt.make(scope, payment, { key })
    assertEquals(again, { _tag: "Replay", refundId: plan.refund.id, answer: plan.answer ?? "" })
    const rotated = yield* RefundAttempt.make(scope, payment, { key, fingerprintKeys: ["k2", "k1"] })
    assertEquals(rotated, again, "also after the server's secret key was rotated")
    yield* LedgerChecks.expectSound
  })
)

export const refusesReusedKey = law(
  "answers the same key with another request by KeyReused, and stores nothing",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { payment, scope } = sale
    const key = Fresh.idempotencyKey()
    yield* RefundAttempt.executed(scope, payment, { key, amountMinor: 1_000n })
    const other = yield* FreshPayment.settled({ scope })
    for (const target of [payment, other.payment]) {
      const decision = yield* RefundAttempt.make(scope, target, { key, amountMinor: 2_000n })
      assert.strictEqual(RefundAttempt.nameOf(decision), "KeyReused")
    }
    const { byId, settlementMinor } = yield* RefundAttempt.look(scope, payment)
    assert.strictEqual(byId?.refundedMinor, 1_000n)
    assert.strictEqual(settlementMinor, 9_000n + other.payment.amount.minor)
    yield* LedgerChecks.expectSound
  })
)

export const refusalLeavesKeyFree = law(
  "stores nothing of a refusal, so that its key is decided afresh",
  Effect.gen(function* () {
    const payments = yield* PaymentStore
    const refunds = yield* RefundStore
    const { payment, scope } = yield* FreshPayment.pending()
    const key = Fresh.idempotencyKey()
    const refused = yield* RefundAttempt.make(scope, payment, { key })
    assert.strictEqual(RefundAttempt.nameOf(refused), "PaymentNotSettled")
    const listed = yield* refunds.list(scope, { paymentId: undefined }, { limit: 10, cursor: undefined })
    assertEquals([...listed.data], [])
    assert.isTrue(yield* payments.settle(FreshPayment.settlementOf(payment)))
    yield* RefundAttempt.executed(scope, payment, { key })
  })
)

export const snapshotsTheState = law(
  "lets the decision see the payment by each identifier, the settings, the settlement balance and the wallet",
  Effect.gen(function* () {
    const sale = yield* FreshPayment.settled({ amountMinor: 10_000n })
    const { consumer, payment, scope } = sale
    yield* FreshPayment.settled({ scope, amountMinor: 2_000n })
    const facts = {
      prior: undefined,
      refundsEnabled: true,
      settlementOverdraft: false,
      settlementMinor: 12_000n,
      walletOpen: true
    }
    const byId = yield* RefundAttempt.look(scope, payment)
    assertEquals(byId, { ...facts, byId: payment, byReference: undefined })
    const byReference = yield* RefundAttempt.look(scope, payment, { by: "reference" })
    assertEquals(byReference, { ...facts, byId: undefined, byReference: payment })
    const byBoth = yield* RefundAttempt.look(scope, payment, { by: "both" })
    assertEquals(byBoth, { ...facts, byId: payment, byReference: payment })
    const absent = yield* FreshPayment.unstored({ scope, consumer })
    const byNeither = yield* RefundAttempt.look(scope, absent.payment, { by: "both" })
    assert.isUndefined(byNeither.byId)
    assert.isUndefined(byNeither.byReference)
    const settings = { refundsEnabled: false, settlementOverdraft: true }
    yield* FreshMerchant.saveSettings(scope.merchantId, () => settings)
    assertEquals(yield* RefundAttempt.look(scope, payment), { ...byId, ...settings })
    const card = yield* FreshPayment.settled({ scope, method: "CARD" })
    assert.isFalse((yield* RefundAttempt.look(scope, card.payment)).walletOpen, "no payment came from that wallet")
  })
)

export const laws = [
  commitsWholePlan,
  tellsEndpoints,
  sleepsWhenNobodyIsTold,
  replays,
  refusesReusedKey,
  refusalLeavesKeyFree,
  snapshotsTheState
]
