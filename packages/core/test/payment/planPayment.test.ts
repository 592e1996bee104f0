import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { TransactionSettled } from "@surety/core/event/EventPayload"
import { TransferId } from "@surety/core/Ids"
import { isWellFormed } from "@surety/core/ledger/Transfer"
import type { Payment } from "@surety/core/payment/Payment"
import { planSettlement } from "@surety/core/payment/planPayment"
import { Schema } from "effect"
import { context, payment } from "../refund/RefundSnapshots.js"

const { settledAt: _, ...unsettled } = payment
const pending: Payment = { ...unsettled, status: "PENDING" }

const settlement = {
  now: context.now,
  fundingId: TransferId.make("transfer_01h455vb4pex5vsknk084sn02q"),
  transferId: context.transferId,
  eventId: context.eventId
}

/** Plans the payment's settlement and formats each of its transfers as `kind: from → to`. */
const wayOf = (paid: Payment): ReadonlyArray<string> =>
  planSettlement(paid, settlement).transfers.map(({ credit, debit, kind }) => `${kind}: ${debit.kind} → ${credit.kind}`)

describe("settling", () => {
  it("takes a wallet payment through the customer's wallet to the merchant", () => {
    assert.deepStrictEqual(wayOf(pending), ["FUNDING: EXTERNAL → WALLET", "PAYMENT: WALLET → SETTLEMENT"])
  })

  it.each(["CARD", "BANK_TRANSFER"] as const)("takes a payment by %s straight to the merchant", (method) => {
    assert.deepStrictEqual(wayOf({ ...pending, method }), ["PAYMENT: EXTERNAL → SETTLEMENT"])
  })

  it("takes a guest's payment straight to the merchant", () => {
    const { userId: _, ...guest } = pending
    assert.deepStrictEqual(wayOf(guest), ["PAYMENT: EXTERNAL → SETTLEMENT"])
  })

  it("moves the whole amount in well-formed transfers that name the payment as their cause", () => {
    const plan = planSettlement(pending, settlement)
    assertEquals(plan.payment, { ...pending, status: "SETTLED", settledAt: context.now })
    for (const transfer of plan.transfers) {
      assert.isTrue(isWellFormed(transfer))
      assertEquals(transfer.amount, payment.amount)
      assert.strictEqual(transfer.cause, payment.id)
    }
    assert.strictEqual(new Set(plan.transfers.map(({ id }) => id)).size, 2)
  })

  it("emits transaction.settled in the form of its schema, without absent values", () => {
    const { event } = planSettlement(pending, settlement)
    assert.strictEqual(event?.topic, "transaction.settled")
    const payload = Schema.decodeUnknownSync(Schema.fromJsonString(TransactionSettled))(event?.body)
    assert.strictEqual(payload.amount, 2500.5)
    assert.strictEqual(payload.status, "SETTLED")
    const { reference: _, serviceId: __, ...bare } = pending
    const body: unknown = JSON.parse(planSettlement(bare, settlement).event?.body ?? "")
    assert.hasAllKeys(body, ["merchantId", "transactionId", "amount", "currency", "status", "settledAt"])
  })

  it("carries the request's trace in its event, and no trace without one", () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    assert.strictEqual(planSettlement(pending, { ...settlement, traceparent }).event?.traceparent, traceparent)
    assert.notProperty(planSettlement(pending, settlement).event, "traceparent")
  })

  it("is dated by its own moment in everything that it brings about", () => {
    const { event, transfers } = planSettlement(pending, settlement)
    assert.deepInclude(event, {
      id: settlement.eventId,
      merchantId: pending.merchantId,
      environment: pending.environment,
      occurredAt: settlement.now
    })
    assert.deepStrictEqual(
      transfers.map(({ at, id }) => [id, at]),
      [
        [settlement.fundingId, settlement.now],
        [settlement.transferId, settlement.now]
      ]
    )
    assert.deepInclude(JSON.parse(event?.body ?? ""), { settledAt: "2026-11-20T12:00:00.000Z" })
  })
})
