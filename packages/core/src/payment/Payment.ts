import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { MerchantId, PaymentId, UserId } from "../Ids.js"
import { AmountMinor, Money } from "../Money.js"

/** How a payment was made. Only wallet payments can be refunded. */
export const PaymentMethod = Schema.Literals(["WALLET", "CARD", "BANK_TRANSFER"])
export type PaymentMethod = typeof PaymentMethod.Type

/** Status of a payment: `PENDING` → `SETTLED`. */
export const PaymentStatus = Schema.Literals(["PENDING", "SETTLED"])
export type PaymentStatus = typeof PaymentStatus.Type

/**
 * The outcome chosen for refunds of a TEST payment (contract 14). If absent, no outcome is forced. `pending`: the
 * refund waits until a test helper settles it. `decline`: the wallet declines it. `unavailable`: the wallet's first
 * response is lost, and a retry succeeds. `no_wallet` and `no_balance`: the refund is refused, as if the consumer had
 * no wallet or the merchant's balance were too small.
 */
export const TestOutcome = Schema.Literals(["pending", "decline", "unavailable", "no_wallet", "no_balance"])
export type TestOutcome = typeof TestOutcome.Type

/**
 * Test outcomes that the sandbox produces instead of the wallet. A refund with such an outcome starts as `PENDING`,
 * even if Surety's ledger is the wallet.
 */
export const PlayedOutcome = Schema.Literals(["pending", "decline", "unavailable"])
export type PlayedOutcome = typeof PlayedOutcome.Type

/** A payment to a merchant by a consumer or a guest. On the wire, its id is `transaction_id` or `transactionId`. */
export const Payment = Schema.Struct({
  id: PaymentId,
  merchantId: MerchantId,
  environment: Environment,
  /** The merchant's checkout reference, unique per merchant and environment. */
  reference: Schema.optionalKey(Schema.String),
  method: PaymentMethod,
  status: PaymentStatus,
  amount: Money,
  /** Total of the payment's refunds in minor units, excluding failed ones. Never exceeds `amount`. */
  refundedMinor: AmountMinor,
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ConsumerId),
  createdAt: Schema.DateTimeUtc,
  settledAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** Present in TEST only, if an outcome was chosen. */
  testOutcome: Schema.optionalKey(TestOutcome)
})
export type Payment = typeof Payment.Type

/** Returns the amount left to refund, in minor units. */
export const refundableMinor = (payment: Payment): bigint => payment.amount.minor - payment.refundedMinor
