import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, PaymentId, RefundId, UserId } from "../Ids.js"
import { AmountMinor, Money } from "../Money.js"

/**
 * `PENDING` → `COMPLETED` | `FAILED`. Only a wallet outside the ledger leaves a refund pending: a host's wallet or, in
 * TEST, the sandbox's. Otherwise the commit that creates a refund completes it.
 */
export const RefundStatus = Schema.Literals(["PENDING", "COMPLETED", "FAILED"])
export type RefundStatus = typeof RefundStatus.Type

/** A line item of a refund, in the refund's currency. */
export const RefundItem = Schema.Struct({
  amountMinor: AmountMinor,
  reason: Schema.optionalKey(Schema.String)
})
export type RefundItem = typeof RefundItem.Type

/** A return of money from a settled wallet payment to the consumer's primary wallet (specification 2.5). */
export const Refund = Schema.Struct({
  id: RefundId,
  merchantId: MerchantId,
  environment: Environment,
  paymentId: PaymentId,
  /** The payment's checkout reference. */
  reference: Schema.optionalKey(Schema.String),
  amount: Money,
  reason: Schema.optionalKey(Schema.String),
  merchantReference: Schema.optionalKey(Schema.String),
  items: Schema.optionalKey(Schema.Array(RefundItem)),
  status: RefundStatus,
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  createdAt: Schema.DateTimeUtc,
  completedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type Refund = typeof Refund.Type
