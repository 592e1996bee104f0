import { minorOf } from "@surety/client"
import type { WebhookEvent } from "@surety/verifier"

/** An order's totals, summed from the service's webhooks. */
export interface Order {
  readonly reference: string
  readonly paidKobo: bigint
  readonly refundedKobo: bigint
}

/** The shop's orders, keyed by checkout reference. A real shop stores them in its database. */
export interface Orders {
  readonly get: (reference: string) => Order
  /**
   * Adds a settled payment or completed refund to the totals of its order. Ignores other topics, and events without a
   * `reference`. Call it once per event.
   */
  readonly book: (event: WebhookEvent) => void
}

export const makeOrders = (): Orders => {
  const orders = new Map<string, Order>()
  const get = (reference: string): Order => orders.get(reference) ?? { reference, paidKobo: 0n, refundedKobo: 0n }
  const book = (event: WebhookEvent): void => {
    if (!event.known) return
    switch (event.topic) {
      case "transaction.settled":
      case "refund.completed": {
        const { amount, reference } = event.payload
        if (reference === undefined) return
        // Events may arrive out of sequence, and an order may have several refunds, so amounts are added up.
        const kobo = minorOf(amount, 2)
        const order = get(reference)
        const paid = event.topic === "transaction.settled"
        orders.set(reference, {
          reference,
          paidKobo: order.paidKobo + (paid ? kobo : 0n),
          refundedKobo: order.refundedKobo + (paid ? 0n : kobo)
        })
      }
    }
  }
  return { get, book }
}
