import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { RefundId } from "../Ids.js"
import { AmountMinor, format } from "../Money.js"
import { PaymentStatus } from "../payment/Payment.js"

/** The operator has switched this merchant's refunds off. */
export class RefundsForbidden extends Schema.TaggedError<RefundsForbidden>(
  "@surety/core/refund/RefundError/RefundsForbidden"
)("RefundsForbidden", {}) {
  override get message(): string {
    return "The merchant may not refund: the operator has switched its refunds off."
  }
}

/** This merchant has no such payment in this environment. */
export class RefundPaymentNotFound extends Schema.TaggedError<RefundPaymentNotFound>(
  "@surety/core/refund/RefundError/RefundPaymentNotFound"
)("RefundPaymentNotFound", {}) {
  override get message(): string {
    return "The merchant has no such payment in this environment."
  }
}

/** The two identifiers do not name one payment. */
export class PaymentIdentifierMismatch extends Schema.TaggedError<PaymentIdentifierMismatch>(
  "@surety/core/refund/RefundError/PaymentIdentifierMismatch"
)("PaymentIdentifierMismatch", {}) {
  override get message(): string {
    return "The transaction id and the reference name different payments."
  }
}

export class PaymentNotSettled extends Schema.TaggedError<PaymentNotSettled>(
  "@surety/core/refund/RefundError/PaymentNotSettled"
)("PaymentNotSettled", { status: PaymentStatus }) {
  override get message(): string {
    return `The payment has not settled: it is ${this.status}.`
  }
}

/** The payment was not paid from a wallet. */
export class PaymentNotRefundable extends Schema.TaggedError<PaymentNotRefundable>(
  "@surety/core/refund/RefundError/PaymentNotRefundable"
)("PaymentNotRefundable", {}) {
  override get message(): string {
    return "The payment was not paid from a wallet and cannot be refunded to one."
  }
}

export class CurrencyMismatch extends Schema.TaggedError<CurrencyMismatch>(
  "@surety/core/refund/RefundError/CurrencyMismatch"
)("CurrencyMismatch", { requested: Currency, payment: Currency }) {
  override get message(): string {
    return `The payment is in ${this.payment}, the request in ${this.requested}.`
  }
}

/** Nothing is left to refund. In JSON, which has no bigint, amounts in minor units are texts of digits. */
export class AlreadyRefunded extends Schema.TaggedError<AlreadyRefunded>(
  "@surety/core/refund/RefundError/AlreadyRefunded"
)("AlreadyRefunded", { currency: Currency, originalMinor: AmountMinor }) {
  override get message(): string {
    return "The payment is refunded in full."
  }

  override toJSON(): unknown {
    return { _tag: this._tag, currency: this.currency, originalMinor: String(this.originalMinor) }
  }
}

/**
 * More than what is left. The facts let the caller send the rest on purpose. In JSON, which has no bigint, amounts in minor
 * units are texts of digits.
 */
export class AmountExceedsRefundable extends Schema.TaggedError<AmountExceedsRefundable>(
  "@surety/core/refund/RefundError/AmountExceedsRefundable"
)("AmountExceedsRefundable", {
  currency: Currency,
  originalMinor: AmountMinor,
  refundedMinor: AmountMinor,
  refundableMinor: AmountMinor
}) {
  override get message(): string {
    return `Only ${format({ currency: this.currency, minor: this.refundableMinor })} ${this.currency} is left to refund.`
  }

  override toJSON(): unknown {
    return {
      _tag: this._tag,
      currency: this.currency,
      originalMinor: String(this.originalMinor),
      refundedMinor: String(this.refundedMinor),
      refundableMinor: String(this.refundableMinor)
    }
  }
}

export class CustomerWalletMissing extends Schema.TaggedError<CustomerWalletMissing>(
  "@surety/core/refund/RefundError/CustomerWalletMissing"
)("CustomerWalletMissing", {}) {
  override get message(): string {
    return "The customer has no wallet in this currency."
  }
}

/** The merchant's settlement balance is too small, and the operator does not let it go below zero. */
export class InsufficientSettlementBalance extends Schema.TaggedError<InsufficientSettlementBalance>(
  "@surety/core/refund/RefundError/InsufficientSettlementBalance"
)("InsufficientSettlementBalance", {}) {
  override get message(): string {
    return "The merchant's settlement balance is too small."
  }
}

/** The host's wallet declined to credit the customer. Nothing was refunded. */
export class WalletDeclined extends Schema.TaggedError<WalletDeclined>(
  "@surety/core/refund/RefundError/WalletDeclined"
)("WalletDeclined", { reason: Schema.String }) {
  /** Without the reason, which is the host's own text and may name the person. */
  override get message(): string {
    return "The customer's wallet declined the refund."
  }
}

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
) {
  override get message(): string {
    return this.reason.message
  }
}

export class RefundNotFound extends Schema.TaggedError<RefundNotFound>(
  "@surety/core/refund/RefundError/RefundNotFound"
)("RefundNotFound", { refundId: RefundId }) {
  override get message(): string {
    return `The merchant has no refund ${this.refundId} in this environment.`
  }
}
