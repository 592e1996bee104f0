import type { IdempotencyKey } from "@surety/core/idempotency/IdempotencyKey"
import { completedEvent } from "@surety/core/refund/decideRefund"
import type { Refund } from "@surety/core/refund/Refund"
import {
  type HeldRefund,
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

/** In milliseconds. */
export const minute = 60_000

/** A refund that waits for a host's wallet. */
export interface PendingRefund {
  readonly sale: FreshPayment.Sale
  readonly refund: Refund
  readonly key: IdempotencyKey
  readonly madeAt: DateTime.Utc
}

/** A refund of 400 of a payment of 1,000 that waits for a host's wallet, made when no other law makes any. */
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

/** Holds the refund from so many minutes after it was made, for one minute. */
export const hold = Effect.fnUntraced(function* ({ madeAt, refund }: PendingRefund, minutes: number) {
  const store = yield* RefundStore
  const now = Fresh.later(madeAt, minutes * minute)
  return yield* store.hold(refund.id, now, Fresh.later(now, minute))
})

/** Holds a refund that must be free to be held. */
export const held = (pending: PendingRefund, minutes: number) =>
  Effect.map(hold(pending, minutes), (found) => Option.getOrThrowWith(found, () => new Error("the refund is held")))

/** That the wallet has credited the customer. */
export const completionOf = (holder: HeldRefund): RefundCompletion => {
  const completedAt = Fresh.later(holder.refund.createdAt, minute)
  const refund: Refund = { ...holder.refund, status: "COMPLETED", completedAt }
  const event = completedEvent(refund, Fresh.eventId(completedAt), completedAt)
  return { held: holder, refund, answer: responses.refund(refund), event }
}

/** That the wallet has declined. */
export const failureOf = (holder: HeldRefund, sale: FreshPayment.Sale): RefundFailure => ({
  held: holder,
  reversal: {
    id: Fresh.transferId(holder.refund.createdAt),
    kind: "REFUND_REVERSAL",
    debit: FreshPayment.walletAccount(sale),
    credit: FreshPayment.settlementAccount(sale),
    amount: holder.refund.amount,
    cause: holder.refund.id,
    at: Fresh.later(holder.refund.createdAt, minute)
  }
})

const ended = Effect.fnUntraced(function* (pending: PendingRefund) {
  const store = yield* RefundStore
  const last = yield* hold(pending, 1_000)
  if (Option.isSome(last)) yield* store.complete(completionOf(last.value))
})

/** A pending refund that does not outlive the law, so that nobody finds it unfinished. */
export const make = (at?: DateTime.Utc) =>
  Effect.acquireRelease(pendingRefund(at), (pending) => Effect.ignore(ended(pending)))
