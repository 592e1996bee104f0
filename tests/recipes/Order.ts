import { type Surety, unwrap } from "@surety/embed"

/** An order of the host's whose payment has the same id. */
export interface Order {
  readonly id: string
  readonly merchantId: string
}

/** The refund of an order. The key identifies the operation, not the attempt, so it is refunded once. */
export const refundOf = ({ id, merchantId }: Order) =>
  ({ merchantId, environment: "TEST", idempotencyKey: `return-${id}`, transactionId: id }) as const

/** Refunds an order in the transaction of these calls. Throws if it is refused, so that your transaction rolls back. */
export const refundIn = async ({ refunds }: Pick<Surety, "refunds">, order: Order) => {
  const refund = await refunds.create(refundOf(order))
  // A wallet of your own is called after your commit. Until then the refund is pending.
  if (!refund.ok && refund.error._tag === "RefundOutcomeUnknown")
    return { id: refund.error.refundId, status: "PENDING" }
  return unwrap(refund)
}
