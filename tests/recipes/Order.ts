/** An order of the host's whose payment has the same id. */
export interface Order {
  readonly id: string
  readonly merchantId: string
}

/** The refund of an order. The key identifies the operation, not the attempt, so it is refunded once. */
export const refundOf = ({ id, merchantId }: Order) =>
  ({ merchantId, environment: "TEST", idempotencyKey: `return-${id}`, transactionId: id }) as const
