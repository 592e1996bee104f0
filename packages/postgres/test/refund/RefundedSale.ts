import { RefundStore } from "@surety/core/refund/RefundStore"
import * as PageWalk from "@surety/testing/PageWalk"
import type * as FreshPayment from "@surety/testing/payment/FreshPayment"
import * as RefundAttempt from "@surety/testing/refund/RefundAttempt"
import { Effect } from "effect"

export const refundsOf = Effect.fnUntraced(function* ({ payment, scope }: FreshPayment.Sale) {
  const store = yield* RefundStore
  return yield* PageWalk.all((page) => store.list(scope, { paymentId: payment.id }, page), 100)
})

export const refundedMinor = Effect.fnUntraced(function* ({ payment, scope }: FreshPayment.Sale) {
  return (yield* RefundAttempt.look(scope, payment)).byId?.refundedMinor
})
