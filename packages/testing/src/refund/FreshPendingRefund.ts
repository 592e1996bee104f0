import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { completedEvent, failedEvent } from "@surety/core/refund/decideRefund"
import type { Refund } from "@surety/core/refund/Refund"
import {
  type LeasedRefund,
  type RefundCompletion,
  type RefundFailure,
  RefundStore
} from "@surety/core/refund/RefundStore"
import type { DateTime } from "effect"
import { Effect, Option } from "effect"
import * as Fresh from "../FreshIds.js"
import * as FreshPayment from "../payment/FreshPayment.js"
import { responses } from "../Responses.js"
import * as RefundAttempt from "./RefundAttempt.js"

export const refundMinute = 60_000

export interface PendingRefund {
  readonly sale: FreshPayment.Sale
  readonly refund: Refund
  readonly key: IdempotencyKey
  readonly madeAt: DateTime.Utc
}

/** Requests a refund of 400 from a payment of 1,000, in minor units. The refund then awaits the host's wallet. */
const pendingRefund = Effect.fnUntraced(function* (at?: DateTime.Utc) {
  const madeAt = at ?? (yield* Fresh.longAgo)
  const sale = yield* FreshPayment.settled({ amountMinor: 1_000n, at: madeAt })
  const key = Fresh.idempotencyKey()
  const { refund } = yield* RefundAttempt.executed(sale.scope, sale.payment, {
    amountMinor: 400n,
    custody: "HOST",
    at: madeAt,
    key
  })
  const pending: PendingRefund = { sale, refund, key, madeAt }
  return pending
})

/** Leases the refund for one minute, `minutes` after its creation. Returns `None` if the store grants no lease. */
export const leaseRefund = Effect.fnUntraced(function* ({ madeAt, refund }: PendingRefund, minutes: number) {
  const store = yield* RefundStore
  const now = Fresh.later(madeAt, minutes * refundMinute)
  return yield* store.lease(refund.id, now, Fresh.later(now, refundMinute))
})

export const leased = (pending: PendingRefund, minutes: number) =>
  Effect.map(leaseRefund(pending, minutes), (found) =>
    Option.getOrThrowWith(found, () => new Error("the refund is leased"))
  )

export const completionOf = (holder: LeasedRefund): RefundCompletion => {
  const completedAt = Fresh.later(holder.refund.createdAt, refundMinute)
  const refund: Refund = { ...holder.refund, status: "COMPLETED", completedAt }
  const event = completedEvent(refund, Fresh.eventId(completedAt), completedAt)
  return { leased: holder, refund, answer: responses.refund(refund), event }
}

export const failureOf = (holder: LeasedRefund, sale: FreshPayment.Sale): RefundFailure => ({
  leased: holder,
  event: failedEvent(
    holder.refund,
    Fresh.eventId(holder.refund.createdAt),
    Fresh.later(holder.refund.createdAt, refundMinute)
  ),
  reversal: {
    id: Fresh.transferId(holder.refund.createdAt),
    kind: "REFUND_REVERSAL",
    debit: FreshPayment.walletAccount(sale),
    credit: FreshPayment.settlementAccount(sale),
    amount: holder.refund.amount,
    cause: holder.refund.id,
    at: Fresh.later(holder.refund.createdAt, refundMinute)
  }
})

/** Completes the refund if it is pending. */
export const settle = Effect.fnUntraced(function* (pending: PendingRefund) {
  const store = yield* RefundStore
  const last = yield* leaseRefund(pending, 1_000)
  if (Option.isSome(last)) yield* store.settleCompleted(completionOf(last.value))
})

/**
 * Creates a pending refund. Completes it when the law ends, if it is still pending. `RefundStore.due` returns the
 * pending refunds of all laws, so `at` must come from `Fresh.longAgo`, which is the default.
 */
export const make = (at?: DateTime.Utc) =>
  Effect.acquireRelease(pendingRefund(at), (pending) => Effect.ignore(settle(pending)))
