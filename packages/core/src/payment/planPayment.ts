import type { DateTime } from "effect"
import type { DomainEvent } from "../event/DomainEvent.js"
import { transactionSettledText } from "../event/EventPayload.js"
import type { EventId, TransferId } from "../Ids.js"
import { external } from "../ledger/Account.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { Payment } from "./Payment.js"
import type { PaymentPlan } from "./PaymentStore.js"

/** What is new about a settlement: made before, so that it can be replayed. */
export interface SettlementContext {
  readonly now: DateTime.Utc
  readonly fundingId: TransferId
  readonly transferId: TransferId
  readonly eventId: EventId
  /** Of the request, as `Traceparent` says. */
  readonly traceparent?: string | undefined
}

const settledEvent = (payment: Payment, { eventId, now: settledAt, traceparent }: SettlementContext): DomainEvent => ({
  id: eventId,
  merchantId: payment.merchantId,
  environment: payment.environment,
  topic: "transaction.settled",
  body: transactionSettledText(payment, settledAt),
  occurredAt: settledAt,
  ...(traceparent === undefined ? {} : { traceparent })
})

/**
 * The way of a payment's money. A wallet payment comes into the customer's wallet from outside and goes from there to
 * the merchant; any other comes from outside straight to the merchant.
 */
const transfersOf = (payment: Payment, context: SettlementContext): ReadonlyArray<Transfer> => {
  const { amount, environment, merchantId, userId } = payment
  const outside = external(environment, amount.currency)
  const settlement = { environment, kind: "SETTLEMENT", owner: merchantId, currency: amount.currency } as const
  const shared = { amount, cause: payment.id, at: context.now }
  if (payment.method !== "WALLET" || userId === undefined) {
    return [{ ...shared, id: context.transferId, kind: "PAYMENT", debit: outside, credit: settlement }]
  }
  const wallet = { environment, kind: "WALLET", owner: userId, currency: amount.currency } as const
  return [
    { ...shared, id: context.fundingId, kind: "FUNDING", debit: outside, credit: wallet },
    { ...shared, id: context.transferId, kind: "PAYMENT", debit: wallet, credit: settlement }
  ]
}

/** All that a payment's settling brings about: the money moves, and `transaction.settled` tells of it. Pure. */
export const planSettlement = (pending: Payment, context: SettlementContext): PaymentPlan => {
  const payment: Payment = { ...pending, status: "SETTLED", settledAt: context.now }
  return {
    payment,
    transfers: transfersOf(payment, context),
    event: settledEvent(payment, context)
  }
}
