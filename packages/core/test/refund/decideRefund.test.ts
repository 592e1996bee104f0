import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type Currency, fromCode, NGN } from "@surety/core/Currency"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { PaymentId, UserId } from "@surety/core/Ids"
import { Fingerprint } from "@surety/core/idempotency/Fingerprint"
import { isWellFormed } from "@surety/core/ledger/Transfer"
import type { Payment } from "@surety/core/payment/Payment"
import {
  decideRefund,
  type RefundDecision,
  type RefundPlan,
  type RefundSnapshot
} from "@surety/core/refund/decideRefund"
import type { RefundCommand } from "@surety/core/refund/RefundCommand"
import { responses } from "@surety/testing/Responses"
import { Arbitrary, Schema } from "effect"
import { command, context, payment, prior, snapshot } from "./RefundSnapshots.js"

const usd: Currency = fromCode("USD") ?? assert.fail("ISO 4217 has USD")

const nameOf = (decision: RefundDecision): string => (decision._tag === "Refuse" ? decision.reason._tag : decision._tag)

const planOf = (decision: RefundDecision): RefundPlan =>
  decision._tag === "Execute" ? decision.plan : assert.fail(`expected Execute, got ${nameOf(decision)}`)

const paid = (change: Partial<Payment>): RefundSnapshot => ({
  ...snapshot,
  byId: { ...payment, ...change },
  byReference: { ...payment, ...change }
})

interface Situation {
  readonly seen: RefundSnapshot
  readonly asked: RefundCommand
}

const onPayment = (seen: RefundSnapshot, change: (payment: Payment) => Payment): RefundSnapshot => ({
  ...seen,
  byId: seen.byId && change(seen.byId),
  byReference: seen.byReference && change(seen.byReference)
})

/** Conditions that prevent a new refund, in order of precedence, each with the expected tag. */
const objections: ReadonlyArray<readonly [string, (situation: Situation) => Situation]> = [
  ["Replay", ({ asked, seen }) => ({ asked, seen: { ...seen, prior } })],
  ["RefundsForbidden", ({ asked, seen }) => ({ asked, seen: { ...seen, refundsEnabled: false } })],
  [
    "RefundPaymentNotFound",
    ({ asked, seen }) => ({ asked, seen: { ...seen, byId: undefined, byReference: undefined } })
  ],
  ["PaymentIdentifierMismatch", ({ asked, seen }) => ({ asked, seen: { ...seen, byReference: undefined } })],
  [
    "PaymentNotSettled",
    ({ asked, seen }) => ({ asked, seen: onPayment(seen, (stored) => ({ ...stored, status: "PENDING" })) })
  ],
  [
    "PaymentNotRefundable",
    ({ asked, seen }) => ({ asked, seen: onPayment(seen, (stored) => ({ ...stored, method: "CARD" })) })
  ],
  ["CurrencyMismatch", ({ asked, seen }) => ({ seen, asked: { ...asked, currency: usd } })],
  [
    "AlreadyRefunded",
    ({ asked, seen }) => ({
      asked,
      seen: onPayment(seen, (stored) => ({ ...stored, refundedMinor: stored.amount.minor }))
    })
  ],
  ["AmountExceedsRefundable", ({ asked, seen }) => ({ seen, asked: { ...asked, amountMinor: 250_051n } })],
  ["CustomerWalletMissing", ({ asked, seen }) => ({ asked, seen: { ...seen, walletOpen: false } })],
  ["InsufficientSettlementBalance", ({ asked, seen }) => ({ asked, seen: { ...seen, settlementMinor: 250_049n } })]
]

describe("the order of refusals", () => {
  it("is that of the contract, for every combination of objections: all 2,048 cases", () => {
    for (let chosen = 0; chosen < 2 ** objections.length; chosen += 1) {
      const against = objections.filter((_, index) => (chosen >> index) & 1)
      const { asked, seen } = against.reduce<Situation>((situation, [, object]) => object(situation), {
        seen: snapshot,
        asked: command
      })
      const expected = against[0]?.[0] ?? "Execute"
      assert.strictEqual(nameOf(decideRefund(seen, asked, context)), expected, against.map(([name]) => name).join())
    }
  })
})

describe("a repeated key", () => {
  it("is answered as before when the request is the same, under any key that the server still reads", () => {
    const replay = { _tag: "Replay", refundId: prior.refundId, answer: '{"amount":2500.5}' } as const
    assertEquals(decideRefund({ ...snapshot, prior }, command, context), replay)
    const older = { ...prior, fingerprint: Fingerprint.make("k1.request") }
    assertEquals(decideRefund({ ...snapshot, prior: older }, command, context), replay)
  })

  it("has to wait while the first is pending", () => {
    const seen = { ...snapshot, prior: { ...prior, answer: undefined } }
    assertEquals(decideRefund(seen, command, context), { _tag: "Pending", refundId: prior.refundId })
  })

  it("is refused for another request, pending or not", () => {
    for (const answer of [prior.answer, undefined]) {
      const reused = { ...prior, answer, fingerprint: Fingerprint.make("k2.another") }
      assertEquals(decideRefund({ ...snapshot, prior: reused }, command, context), { _tag: "KeyReused" })
    }
  })
})

describe("which payment", () => {
  const other: Payment = { ...payment, id: PaymentId.make("payment_other") }

  it.each([
    ["by its id alone", { reference: undefined }, { byReference: undefined }, "Execute"],
    ["by its reference alone", { paymentId: undefined }, { byId: undefined }, "Execute"],
    ["by both", {}, {}, "Execute"],
    ["by two that name different ones", {}, { byReference: other }, "PaymentIdentifierMismatch"],
    ["by an id that is known and a reference that is not", {}, { byReference: undefined }, "PaymentIdentifierMismatch"],
    ["by a reference that is known and an id that is not", {}, { byId: undefined }, "PaymentIdentifierMismatch"],
    [
      "by an unknown id",
      { reference: undefined },
      { byId: undefined, byReference: undefined },
      "RefundPaymentNotFound"
    ],
    ["by two unknown ones", {}, { byId: undefined, byReference: undefined }, "RefundPaymentNotFound"]
  ] as const)("is meant %s", (_, asked, seen, expected) => {
    assert.strictEqual(nameOf(decideRefund({ ...snapshot, ...seen }, { ...command, ...asked }, context)), expected)
  })
})

describe("how much", () => {
  it("is the original amount if none is asked for, also after a part was refunded", () => {
    assert.strictEqual(planOf(decideRefund(snapshot, command, context)).refund.amount.minor, 250_050n)
    const decision = decideRefund(paid({ refundedMinor: 50n }), command, context)
    assert.strictEqual(decision._tag, "Refuse")
    if (decision._tag !== "Refuse" || decision.reason._tag !== "AmountExceedsRefundable") {
      return assert.fail(nameOf(decision))
    }
    const { currency, originalMinor, refundableMinor, refundedMinor } = decision.reason
    assert.deepStrictEqual([currency, originalMinor, refundedMinor, refundableMinor], [NGN, 250_050n, 50n, 250_000n])
  })

  it("is at most what is left, to the last unit", () => {
    const almost = paid({ refundedMinor: 250_049n })
    assert.strictEqual(nameOf(decideRefund(almost, { ...command, amountMinor: 1n }, context)), "Execute")
    assert.strictEqual(
      nameOf(decideRefund(almost, { ...command, amountMinor: 2n }, context)),
      "AmountExceedsRefundable"
    )
  })

  it("is at most the settlement balance, unless the operator allows more", () => {
    const exact = { ...snapshot, settlementMinor: 250_050n }
    assert.strictEqual(nameOf(decideRefund(exact, command, context)), "Execute")
    const short = { ...snapshot, settlementMinor: 250_049n }
    assert.strictEqual(nameOf(decideRefund(short, command, context)), "InsufficientSettlementBalance")
    const overdrawn = { ...snapshot, settlementMinor: -5n, settlementOverdraft: true }
    assert.isTrue(planOf(decideRefund(overdrawn, command, context)).settlementOverdraft)
  })

  it("needs a customer to go to", () => {
    const { userId: _, ...guest } = payment
    const seen = { ...snapshot, byId: guest, byReference: guest }
    assert.strictEqual(nameOf(decideRefund(seen, command, context)), "CustomerWalletMissing")
  })
})

const minorUnits = Arbitrary.map(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 }))),
  BigInt
)

describe("a plan", () => {
  it("completes the refund at once if the ledger is the wallet", () => {
    const plan = planOf(decideRefund(snapshot, { ...command, amountMinor: 50n }, context))
    assertEquals(plan.refund, {
      id: context.refundId,
      ...context.scope,
      paymentId: payment.id,
      reference: "order-1001",
      amount: { currency: NGN, minor: 50n },
      reason: "damaged",
      merchantReference: "return-17",
      status: "COMPLETED",
      userId: UserId.make("consumer_1"),
      serviceId: ConsumerId.make("SR1-K7QM-WX4T-A"),
      createdAt: context.now,
      completedAt: context.now
    })
    assertEquals(plan.transfer.debit, {
      environment: "LIVE",
      kind: "SETTLEMENT",
      owner: payment.merchantId,
      currency: NGN,
      books: payment.merchantId
    })
    assertEquals(plan.transfer.credit, { ...plan.transfer.debit, kind: "WALLET", owner: "consumer_1" })
    assert.strictEqual(plan.transfer.cause, plan.refund.id)
    assert.strictEqual(plan.event?.topic, "refund.completed")
    assert.strictEqual(plan.event?.id, context.eventId)
    assert.strictEqual(plan.answer, responses.refund(plan.refund))
    assert.strictEqual(plan.refund.amount.minor, 50n)
    assert.strictEqual(plan.refund.status, "COMPLETED")
  })

  it("leaves the refund pending if a host holds the money: no answer and no event yet, the money set aside", () => {
    const plan = planOf(decideRefund(snapshot, command, { ...context, custody: "HOST" }))
    assert.strictEqual(plan.refund.status, "PENDING")
    assert.isFalse("completedAt" in plan.refund)
    assert.isUndefined(plan.answer)
    assert.isUndefined(plan.event)
    assert.strictEqual(plan.refundedAfterMinor, 250_050n)
    assert.isTrue(isWellFormed(plan.transfer))
  })

  it("moves the money from the merchant's settlement to the customer's wallet, in one transfer caused by the refund", () => {
    const { transfer } = planOf(decideRefund(snapshot, { ...command, amountMinor: 50n }, context))
    const account = { environment: "LIVE", currency: NGN, books: payment.merchantId } as const
    assert.deepStrictEqual(transfer, {
      id: context.transferId,
      kind: "REFUND",
      debit: { ...account, kind: "SETTLEMENT", owner: payment.merchantId },
      credit: { ...account, kind: "WALLET", owner: "consumer_1" },
      amount: { currency: NGN, minor: 50n },
      cause: context.refundId,
      at: context.now
    })
  })

  it("has no field that neither the payment nor the request gave", () => {
    const { reference: _, serviceId: __, ...bare } = payment
    const asked = { ...command, reference: undefined, reason: undefined, merchantReference: undefined }
    const { refund } = planOf(decideRefund({ ...snapshot, byId: bare }, asked, context))
    const always = ["id", "merchantId", "environment", "paymentId", "amount", "status", "userId", "createdAt"]
    assert.sameMembers(Object.keys(refund), [...always, "completedAt"])
  })

  it("keeps the items that were asked for, as they were", () => {
    const items = [{ amountMinor: 50n, reason: "torn" }, { amountMinor: 20n }]
    const { refund } = planOf(decideRefund(snapshot, { ...command, amountMinor: 70n, items }, context))
    assert.deepStrictEqual(refund.items, items)
  })

  it("carries the request's trace in its event, and no trace without one", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    const traced = planOf(decideRefund(snapshot, command, { ...context, traceparent }))
    assert.strictEqual(traced.event?.traceparent, traceparent)
    assert.notProperty(planOf(decideRefund(snapshot, command, context)).event, "traceparent")
  })

  it("keeps the fingerprint under the active key", () => {
    assert.strictEqual(planOf(decideRefund(snapshot, command, context)).fingerprint, "k2.request")
  })

  it.prop(
    "never takes the total over the payment, however many refunds follow each other, and moves what it says",
    { paidMinor: minorUnits, asked: Arbitrary.array(minorUnits, { maxLength: 30 }) },
    ({ asked, paidMinor }) => {
      let stored: Payment = { ...payment, amount: { currency: NGN, minor: paidMinor } }
      let settlementMinor = paidMinor
      for (const amountMinor of asked) {
        const seen = { ...snapshot, byId: stored, byReference: stored, settlementMinor }
        const decision = decideRefund(seen, { ...command, amountMinor }, context)
        const leftMinor = paidMinor - stored.refundedMinor
        assert.strictEqual(decision._tag === "Execute", amountMinor <= leftMinor, "refused only for lack of money")
        if (decision._tag !== "Execute") continue
        const { plan } = decision
        assert.isTrue(plan.refundedAfterMinor <= paidMinor)
        assert.strictEqual(plan.refundedBeforeMinor, stored.refundedMinor)
        assert.strictEqual(plan.refundedAfterMinor - plan.refundedBeforeMinor, plan.transfer.amount.minor)
        assertEquals(plan.transfer.amount, plan.refund.amount)
        assert.isTrue(isWellFormed(plan.transfer))
        stored = { ...stored, refundedMinor: plan.refundedAfterMinor }
        settlementMinor -= plan.transfer.amount.minor
      }
      assert.strictEqual(settlementMinor, paidMinor - stored.refundedMinor)
    },
    { arbitrary: { runs: 300 } }
  )

  it.prop("is the same for the same input, whenever it is asked for", [minorUnits], ([amountMinor]) => {
    const frozen = Object.freeze({ ...snapshot, byId: Object.freeze({ ...payment }) })
    const asked = Object.freeze({ ...command, amountMinor })
    assertEquals(decideRefund(frozen, asked, context), decideRefund(frozen, asked, context))
  })
})
