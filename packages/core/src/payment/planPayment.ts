import type { DateTime } from "effect"
import type { DomainEvent } from "../event/DomainEvent.js"
import { transactionSettledText } from "../event/EventPayload.js"
import type { EventId, TransferId } from "../Ids.js"
import { type AccountPart, external } from "../ledger/Account.js"
import type { Transfer } from "../ledger/Transfer.js"
import type { Payment } from "./Payment.js"
import type { PaymentPlan } from "./PaymentStore.js"

/** Ids and time of a settlement, generated beforehand so that planning is pure. */
export interface SettlementContext {
  readonly now: DateTime.Utc
  readonly fundingId: TransferId
  readonly transferId: TransferId
  readonly eventId: EventId
  /** Trace context of the request (`Traceparent`). */
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
 * Plans a payment's transfers, all in the merchant's books. A consumer's wallet payment has two. The first funds the
 * wallet from outside, and is omitted with `fromBalance`. The second moves the amount from the wallet to the merchant.
 * Any other payment, including a guest's, goes directly from outside to the merchant.
 */
const transfersOf = (
  payment: Payment,
  context: SettlementContext,
  fromBalance: true | undefined
): ReadonlyArray<Transfer> => {
  const { amount, environment, merchantId, userId } = payment
  const inBooks = { environment, currency: amount.currency, books: merchantId }
  const outside: AccountPart = { ...external(environment, amount.currency), books: merchantId }
  const settlement: AccountPart = { ...inBooks, kind: "SETTLEMENT", owner: merchantId }
  const shared = { amount, cause: payment.id, at: context.now }
  if (payment.method !== "WALLET" || userId === undefined) {
    return [{ ...shared, id: context.transferId, kind: "PAYMENT", debit: outside, credit: settlement }]
  }
  const wallet: AccountPart = { ...inBooks, kind: "WALLET", owner: userId }
  const paid: Transfer = { ...shared, id: context.transferId, kind: "PAYMENT", debit: wallet, credit: settlement }
  return fromBalance === true
    ? [paid]
    : [{ ...shared, id: context.fundingId, kind: "FUNDING", debit: outside, credit: wallet }, paid]
}

/**
 * Plans a settlement: the transfers and the event `transaction.settled`. With `fromBalance`, takes a wallet payment
 * from the wallet's balance, without funding the wallet first.
 */
export const planSettlement = (pending: Payment, context: SettlementContext, fromBalance?: true): PaymentPlan => {
  const payment: Payment = { ...pending, status: "SETTLED", settledAt: context.now }
  return {
    payment,
    transfers: transfersOf(payment, context, fromBalance),
    event: settledEvent(payment, context),
    ...(fromBalance === undefined ? {} : { fromBalance })
  }
}
