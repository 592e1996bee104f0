import { assert, describe, it } from "@effect/vitest"
import type { Payment } from "@surety/core/payment/Payment"
import { completedEvent, decideRefund, failedEvent, type RefundPlan } from "@surety/core/refund/decideRefund"
import { RefundNotFound, RefundNotWaiting } from "@surety/core/refund/RefundError"
import { RefundOutcomeUnknown } from "@surety/core/refund/Refunds"
import { readWalletKnowledge, readWalletOutcome, WalletDeferred, WalletUnavailable } from "@surety/core/refund/Wallet"
import { DateTime, Result } from "effect"
import { command, context, payment, snapshot } from "./RefundSnapshots.js"

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

const decided = (testOutcome: Payment["testOutcome"], custody: "LEDGER" | "HOST" = "LEDGER") => {
  const stored: Payment = testOutcome === undefined ? payment : { ...payment, testOutcome }
  return decideRefund({ ...snapshot, byId: stored, byReference: stored }, command, { ...context, custody })
}

const planned = (testOutcome: Payment["testOutcome"], custody?: "LEDGER" | "HOST"): RefundPlan => {
  const decision = decided(testOutcome, custody)
  return decision._tag === "Execute" ? decision.plan : assert.fail(decision._tag)
}

describe("the event of a refund", () => {
  const { refund } = planned(undefined)
  const at = DateTime.makeUnsafe("2026-11-20T12:00:05.000Z")
  const common = {
    id: context.eventId,
    merchantId: refund.merchantId,
    environment: refund.environment,
    occurredAt: at
  }

  it("that completed tells the amount and when, with the request's trace if it has one", () => {
    const { body, ...event } = completedEvent(refund, context.eventId, at)
    assert.deepStrictEqual(event, { ...common, topic: "refund.completed" })
    assert.deepInclude(JSON.parse(body), { refundId: refund.id, status: "COMPLETED", amount: 2500.5 })
    assert.strictEqual(completedEvent(refund, context.eventId, at, traceparent).traceparent, traceparent)
  })

  it("that failed tells that it did, with the request's trace if it has one", () => {
    const { body, ...event } = failedEvent(refund, context.eventId, at)
    assert.deepStrictEqual(event, { ...common, topic: "refund.failed" })
    assert.deepInclude(JSON.parse(body), { refundId: refund.id, status: "FAILED", amount: 2500.5 })
    assert.strictEqual(failedEvent(refund, context.eventId, at, traceparent).traceparent, traceparent)
  })

  it("that is pending is the platform's: it tells whose payment waits, and for how much", () => {
    const { event, platformEvent } = planned(undefined, "HOST")
    assert.isUndefined(event)
    const { body, ...told } = platformEvent ?? assert.fail("the platform gets the event")
    assert.deepInclude(told, { ...common, topic: "refund.pending", occurredAt: context.now })
    assert.deepStrictEqual(JSON.parse(body), {
      merchantId: payment.merchantId,
      refundId: context.refundId,
      transactionId: payment.id,
      reference: "order-1001",
      amount: 2500.5,
      currency: "NGN",
      status: "PENDING",
      serviceId: payment.serviceId,
      createdAt: "2026-11-20T12:00:00.000Z"
    })
  })
})

describe("a payment whose refunds the sandbox plays", () => {
  it("is refused for want of a wallet or of a balance", () => {
    for (const [outcome, reason] of [
      ["no_wallet", "CustomerWalletMissing"],
      ["no_balance", "InsufficientSettlementBalance"]
    ] as const) {
      const decision = decided(outcome)
      assert.strictEqual(decision._tag === "Refuse" && decision.reason._tag, reason)
    }
  })

  it("leaves its refund pending, in this ledger too", () => {
    for (const outcome of ["pending", "decline", "unavailable"] as const) {
      const { played, refund } = planned(outcome)
      assert.deepStrictEqual([played, refund.status], [outcome, "PENDING"])
    }
    assert.isUndefined(planned(undefined).played)
  })
})

describe("what is said of a refund that is not as expected", () => {
  const refundId = context.refundId

  it("names the refund, its state and when to ask again", () => {
    assert.include(new RefundNotFound({ refundId }).message, refundId)
    assert.include(new RefundNotWaiting({ refundId, status: "FAILED" }).message, `${refundId} is not waiting`)
    assert.include(new RefundOutcomeUnknown({ refundId, retryAfterSeconds: 5 }).message, "in 5 s")
    assert.include(new WalletUnavailable({ cause: "down" }).message, "stays pending")
    assert.include(new WalletDeferred().message, "has not been called")
  })

  it("says of an unknown answer of the wallet which ones there are", () => {
    for (const [read, answers] of [
      [readWalletOutcome, ["Credited", "Declined"]],
      [readWalletKnowledge, ["Credited", "Declined", "NotKnown"]]
    ] as const) {
      const found = read({ credited: true })
      const message = Result.isFailure(found) ? found.failure.message : assert.fail("it is no answer")
      for (const answer of answers) assert.include(message, answer)
    }
  })
})
