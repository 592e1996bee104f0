import { assert, describe, it } from "@effect/vitest"
import { Refund, RefundItem } from "@surety/core/refund/Refund"
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
