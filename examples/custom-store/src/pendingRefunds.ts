import type { DeliverySignal } from "@surety/core/event/DeliverySignal"
import { RefundId } from "@surety/core/Ids"
import type { HeldRefund, RefundStore } from "@surety/core/refund/RefundStore"
import { DateTime, Option } from "effect"
import { post } from "./books.ts"
import type { Database, Sql } from "./Database.ts"
import { append, type Committed, notifying } from "./outbox.ts"
import { findPayment, savePayment } from "./SqlitePaymentStore.ts"
import { findRefund, type StoredRefund, saveRefund } from "./StoredRefund.ts"

type PendingRefunds = Pick<RefundStore["Service"], "hold" | "unfinished" | "complete" | "fail">

const isFree = ({ heldUntil, refund }: StoredRefund, now: DateTime.Utc): boolean =>
  refund.status === "PENDING" && (heldUntil === undefined || DateTime.isLessThanOrEqualTo(heldUntil, now))

/** The pending refund that `held` still holds. */
const heldBy = (sql: Sql, { fence, refund }: HeldRefund): StoredRefund | undefined => {
  const stored = findRefund(sql, refund.id)
  return stored?.refund.status === "PENDING" && stored.fence === fence ? stored : undefined
}

/** The part of `RefundStore` that finishes refunds of a host's own wallet. */
export const pendingRefunds = (
  { read, write }: Database["Service"],
  signal: DeliverySignal["Service"]
): PendingRefunds => ({
  hold: (id, now, until) =>
    write("RefundStore.hold", (sql) => {
      const stored = findRefund(sql, id)
      if (stored === undefined || !isFree(stored, now)) return Option.none()
      const fence = stored.fence + 1
      saveRefund(sql, { ...stored, fence, heldUntil: until })
      return Option.some({ refund: stored.refund, fence })
    }),

  unfinished: (now, madeBefore, limit) =>
    read("RefundStore.unfinished", (sql) =>
      sql.all`
        select id from refund
        where status = 'PENDING' and (held_until is null or held_until <= ${DateTime.formatIso(now)})
          and created_at < ${DateTime.formatIso(madeBefore)}
        order by created_at, id limit ${limit}`.map(({ id }) => RefundId.make(String(id)))
    ),

  complete: ({ answer, event, held, refund }) =>
    notifying(signal)(
      write("RefundStore.complete", (sql): Committed<boolean> => {
        const stored = heldBy(sql, held)
        if (stored === undefined) return { answer: false, due: 0 }
        saveRefund(sql, { ...stored, refund, answer })
        return { answer: true, due: append(sql, event, refund.id) }
      })
    ),

  fail: ({ held, reversal }) =>
    write("RefundStore.fail", (sql) => {
      const stored = heldBy(sql, held)
      if (stored === undefined) return false
      const { refund } = stored
      const payment = findPayment(sql, refund, refund.paymentId)
      if (payment !== undefined) {
        savePayment(sql, { ...payment, refundedMinor: payment.refundedMinor - refund.amount.minor })
      }
      saveRefund(sql, { ...stored, refund: { ...refund, status: "FAILED" } })
      post(sql, reversal)
      return true
    })
})
