/** An order of the host's whose payment has the same id. */
export interface Order {
  readonly id: string
  readonly merchantId: string
}

/** The refund of an order. The key comes of the operation, not of the attempt: it is refunded once. */
export const refundOf = ({ id, merchantId }: Order) =>
  ({ merchantId, environment: "TEST", idempotencyKey: `return-${id}`, transactionId: id }) as const
