import { assert, describe, it } from "@effect/vitest"
import { Refund, RefundItem } from "@surety/core/refund/Refund"
import { answerBody, RefundRecord } from "@surety/core/refund/RefundRecord"
import { Schema } from "effect"
import { context, payment } from "./RefundSnapshots.js"

const refund: Refund = {
  id: context.refundId,
  ...context.scope,
  paymentId: payment.id,
  amount: payment.amount,
  status: "PENDING",
  createdAt: context.now
}

/** All that is kept of a value, or none where it is not of the schema. */
const without = <A extends object>(whole: A, key: keyof A): Partial<A> => {
  const { [key]: _, ...rest } = whole
  return rest as Partial<A>
}

describe("a stored refund", () => {
  const is = Schema.is(Refund)

  it("is PENDING, COMPLETED or FAILED", () => {
    for (const status of ["PENDING", "COMPLETED", "FAILED"]) assert.isTrue(is({ ...refund, status }))
    for (const status of ["", "DONE", undefined]) assert.isFalse(is({ ...refund, status }))
  })

  it("lacks none of what every refund has", () => {
    for (const key of Object.keys(refund)) assert.isFalse(is(without(refund, key as keyof Refund)), key)
  })

  it("has items of amounts, if it has any", () => {
    assert.isTrue(is({ ...refund, items: [{ amountMinor: 1n }, { amountMinor: 2n, reason: "torn" }] }))
    for (const item of [{}, { amountMinor: 1 }, { amountMinor: 1n, reason: 2 }]) {
      assert.isFalse(is({ ...refund, items: [item] }))
      assert.isFalse(Schema.is(RefundItem)(item))
    }
  })
})

describe("a refund's record", () => {
  const read = Schema.decodeUnknownExit(RefundRecord)
  const record = JSON.parse(answerBody({ ...refund, items: [{ amountMinor: 250_050n, reason: "torn" }] }))

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
