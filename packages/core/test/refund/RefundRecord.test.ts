import { assert, describe, it } from "@effect/vitest"
import { RefundCompleted } from "@surety/core/event/DomainEvent"
import type { Refund } from "@surety/core/refund/Refund"
import { answerBody, eventBody, RefundRecord } from "@surety/core/refund/RefundRecord"
import { DateTime, Schema } from "effect"
import { context, payment } from "./RefundSnapshots.js"

const bare: Refund = {
  id: context.refundId,
  ...context.scope,
  paymentId: payment.id,
  amount: { ...payment.amount, minor: 250_050n },
  status: "COMPLETED",
  createdAt: context.now,
  completedAt: DateTime.makeUnsafe("2026-11-20T12:00:00.000Z")
}

const full: Refund = {
  ...bare,
  reference: "order-1001",
  reason: 'quotes " and \u2028',
  merchantReference: "return-17",
  serviceId: payment.serviceId ?? assert.fail("the payment has a customer"),
  items: [{ amountMinor: 250_000n }, { amountMinor: 50n, reason: "torn" }]
}

const keys = [
  "merchantId",
  "refundId",
  "transactionId",
  "reference",
  "amount",
  "currency",
  "reason",
  "status",
  "serviceId",
  "completedAt",
  "merchantReference"
]

const keysOf = (body: string): ReadonlyArray<string> => Object.keys(JSON.parse(body))

describe("a refund's record", () => {
  it("has the keys of the specification in their order, and the items where they were sent", () => {
    assert.deepStrictEqual(keysOf(eventBody(full)), keys, "the event has no items")
    assert.deepStrictEqual(keysOf(answerBody(full)), [...keys, "items"])
  })

  it("leaves out what is absent, never null", () => {
    const present = ["merchantId", "refundId", "transactionId", "amount", "currency", "status", "completedAt"]
    assert.deepStrictEqual(keysOf(eventBody(bare)), present)
    assert.deepStrictEqual(keysOf(answerBody(bare)), present)
    const { completedAt: _, ...pending } = { ...bare, status: "PENDING" as const }
    assert.deepStrictEqual(
      keysOf(answerBody(pending)),
      present.filter((key) => key !== "completedAt")
    )
  })

  it("says amounts in major units and times in UTC with milliseconds", () => {
    const answer: unknown = JSON.parse(answerBody(full))
    assert.deepInclude(answer, {
      amount: 2500.5,
      currency: "NGN",
      completedAt: "2026-11-20T12:00:00.000Z",
      reason: 'quotes " and \u2028',
      items: [
        { amount: 2500, currency: "NGN" },
        { amount: 0.5, currency: "NGN", reason: "torn" }
      ]
    })
  })

  it("is what its schemas describe", () => {
    const record = Schema.decodeUnknownSync(Schema.fromJsonString(RefundRecord))(answerBody(full))
    assert.strictEqual(record.refundId, full.id)
    assert.lengthOf(record.items ?? [], 2)
    const payload = Schema.decodeUnknownSync(Schema.fromJsonString(RefundCompleted))(eventBody(bare))
    assert.strictEqual(payload.transactionId, payment.id)
  })

  it("is the same text every time", () => {
    assert.strictEqual(answerBody(full), answerBody({ ...full }))
  })
})
