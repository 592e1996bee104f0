import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { TransactionSettled } from "@surety/core/event/DomainEvent"
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

/** `kind: from → to` of each transfer. */
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

  it("is told by transaction.settled, in the form that its schema describes, without what is absent", () => {
    const { event } = planSettlement(pending, settlement)
    assert.strictEqual(event?.topic, "transaction.settled")
    const payload = Schema.decodeUnknownSync(Schema.fromJsonString(TransactionSettled))(event?.body)
    assert.strictEqual(payload.amount, 2500.5)
    assert.strictEqual(payload.status, "SETTLED")
    const { reference: _, serviceId: __, ...bare } = pending
    const body: unknown = JSON.parse(planSettlement(bare, settlement).event?.body ?? "")
    assert.hasAllKeys(body, ["merchantId", "transactionId", "amount", "currency", "status", "settledAt"])
  })
})
