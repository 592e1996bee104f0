import { assert, describe, it } from "@effect/vitest"
import { NGN } from "@surety/core/Currency"
import { ConsumerId } from "@surety/core/consumer/ConsumerId"
import { RefundCompleted, refundCompletedText } from "@surety/core/event/EventPayload"
import { MerchantId, PaymentId, RefundId } from "@surety/core/Ids"
import type { Refund } from "@surety/core/refund/Refund"
import { RefundRecord, refundJson } from "@surety/http/refund/RefundRecord"
import { DateTime, Schema } from "effect"

const suffix = "01h2xcejqtf2nbrexx3vqjhp41"

const bare: Refund = {
  id: RefundId.make(`refund_${suffix}`),
  merchantId: MerchantId.make(`merchant_${suffix}`),
  environment: "LIVE",
  paymentId: PaymentId.make("payment_1"),
  amount: { currency: NGN, minor: 250_050n },
  status: "COMPLETED",
  createdAt: DateTime.makeUnsafe("2026-11-20T12:00:00.000Z"),
  completedAt: DateTime.makeUnsafe("2026-11-20T12:00:00.000Z")
}

const full: Refund = {
  ...bare,
  reference: "order-1001",
  reason: 'quotes " and \u2028',
  merchantReference: "return-17",
  serviceId: ConsumerId.make("SR1-K7QM-WX4T-A"),
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
  it("has the keys of the specification in their order, and the items if they were sent", () => {
    assert.deepStrictEqual(keysOf(refundCompletedText(full)), keys, "the event has no items")
    assert.deepStrictEqual(keysOf(refundJson(full)), [...keys, "items"])
  })

  it("leaves out what is absent, never null", () => {
    const present = ["merchantId", "refundId", "transactionId", "amount", "currency", "status", "completedAt"]
    assert.deepStrictEqual(keysOf(refundCompletedText(bare)), present)
    assert.deepStrictEqual(keysOf(refundJson(bare)), present)
    const { completedAt: _, ...pending } = { ...bare, status: "PENDING" as const }
    assert.deepStrictEqual(
      keysOf(refundJson(pending)),
      present.filter((key) => key !== "completedAt")
    )
  })

  it("says amounts in major units and times in UTC with milliseconds", () => {
    const answer: unknown = JSON.parse(refundJson(full))
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
    const record = Schema.decodeUnknownSync(Schema.fromJsonString(RefundRecord))(refundJson(full))
    assert.strictEqual(record.refundId, full.id)
    assert.lengthOf(record.items ?? [], 2)
    const payload = Schema.decodeUnknownSync(Schema.fromJsonString(RefundCompleted))(refundCompletedText(bare))
    assert.strictEqual(payload.transactionId, bare.paymentId)
  })

  it("is the same text every time", () => {
    assert.strictEqual(refundJson(full), refundJson({ ...full }))
  })
})

describe("what a refund's record accepts", () => {
  const read = Schema.decodeUnknownExit(RefundRecord)
  const record = JSON.parse(
    refundJson({ ...bare, status: "PENDING", items: [{ amountMinor: 250_050n, reason: "torn" }] })
  )

  it("has its status and items, and none of another form", () => {
    const whole = read(record)
    assert.strictEqual(whole._tag, "Success")
    assert.deepInclude(whole._tag === "Success" ? whole.value : {}, {
      status: "PENDING",
      items: [{ amount: 2500.5, currency: "NGN", reason: "torn" }]
    })
    for (const change of [
      { status: "DONE" },
      { items: [{}] },
      { items: [{ amount: 1, currency: 2 }] },
      { amount: "1" }
    ]) {
      assert.strictEqual(read({ ...record, ...change })._tag, "Failure")
    }
  })
})
