import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { RefundId } from "../Ids.js"
import { AmountMinor } from "../Money.js"
import { PaymentStatus } from "../payment/Payment.js"

/** The operator has switched this merchant's refunds off. */
export class RefundsForbidden extends Schema.TaggedError<RefundsForbidden>(
  "@surety/core/refund/RefundError/RefundsForbidden"
)("RefundsForbidden", {}) {}

/** This merchant has no such payment in this environment. */
export class RefundPaymentNotFound extends Schema.TaggedError<RefundPaymentNotFound>(
  "@surety/core/refund/RefundError/RefundPaymentNotFound"
)("RefundPaymentNotFound", {}) {}

/** The two identifiers do not name one payment. */
export class PaymentIdentifierMismatch extends Schema.TaggedError<PaymentIdentifierMismatch>(
  "@surety/core/refund/RefundError/PaymentIdentifierMismatch"
)("PaymentIdentifierMismatch", {}) {}

export class PaymentNotSettled extends Schema.TaggedError<PaymentNotSettled>(
  "@surety/core/refund/RefundError/PaymentNotSettled"
)("PaymentNotSettled", { status: PaymentStatus }) {}

/** The payment was not paid from a wallet. */
export class PaymentNotRefundable extends Schema.TaggedError<PaymentNotRefundable>(
  "@surety/core/refund/RefundError/PaymentNotRefundable"
)("PaymentNotRefundable", {}) {}

export class CurrencyMismatch extends Schema.TaggedError<CurrencyMismatch>(
  "@surety/core/refund/RefundError/CurrencyMismatch"
)("CurrencyMismatch", { requested: Currency, payment: Currency }) {}

/** Nothing is left to refund. */
export class AlreadyRefunded extends Schema.TaggedError<AlreadyRefunded>(
  "@surety/core/refund/RefundError/AlreadyRefunded"
)("AlreadyRefunded", { currency: Currency, originalMinor: AmountMinor }) {}

/** More than what is left. The facts let the caller send the rest on purpose. */
export class AmountExceedsRefundable extends Schema.TaggedError<AmountExceedsRefundable>(
  "@surety/core/refund/RefundError/AmountExceedsRefundable"
)("AmountExceedsRefundable", {
  currency: Currency,
  originalMinor: AmountMinor,
  refundedMinor: AmountMinor,
  refundableMinor: AmountMinor
}) {}

export class CustomerWalletMissing extends Schema.TaggedError<CustomerWalletMissing>(
  "@surety/core/refund/RefundError/CustomerWalletMissing"
)("CustomerWalletMissing", {}) {}

/** The merchant's settlement balance is too small, and the operator does not let it go below zero. */
export class InsufficientSettlementBalance extends Schema.TaggedError<InsufficientSettlementBalance>(
  "@surety/core/refund/RefundError/InsufficientSettlementBalance"
)("InsufficientSettlementBalance", {}) {}

/** The host's wallet declined to credit the customer. Nothing was refunded. */
export class WalletDeclined extends Schema.TaggedError<WalletDeclined>(
  "@surety/core/refund/RefundError/WalletDeclined"
)("WalletDeclined", { reason: Schema.String }) {}

/** Every rule that can refuse a refund (contract 10). */
export const RefundRefusal = Schema.Union([
  RefundsForbidden,
  RefundPaymentNotFound,
  PaymentIdentifierMismatch,
  PaymentNotSettled,
  PaymentNotRefundable,
  CurrencyMismatch,
  AlreadyRefunded,
  AmountExceedsRefundable,
  CustomerWalletMissing,
  InsufficientSettlementBalance,
  WalletDeclined
])
export type RefundRefusal = typeof RefundRefusal.Type

/** A rule refused the refund; nothing happened, and the idempotency key is free to be used again. */
export class RefundRefused extends Schema.TaggedError<RefundRefused>("@surety/core/refund/RefundError/RefundRefused")(
  "RefundRefused",
  { reason: RefundRefusal }
) {}

export class RefundNotFound extends Schema.TaggedError<RefundNotFound>(
  "@surety/core/refund/RefundError/RefundNotFound"
)("RefundNotFound", { refundId: RefundId }) {}
