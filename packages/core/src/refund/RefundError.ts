import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { RefundId } from "../Ids.js"
import { AmountMinor, format } from "../Money.js"
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

/** Nothing is left to refund. In JSON, which has no bigint, amounts in minor units are texts of digits. */
export class AlreadyRefunded extends Schema.TaggedError<AlreadyRefunded>(
  "@surety/core/refund/RefundError/AlreadyRefunded"
)("AlreadyRefunded", { currency: Currency, originalMinor: AmountMinor }) {
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

const sentenceOf = (reason: RefundRefusal): string => {
  switch (reason._tag) {
    case "RefundsForbidden":
      return "The merchant may not refund: the operator has switched its refunds off."
    case "RefundPaymentNotFound":
      return "The merchant has no such payment in this environment."
    case "PaymentIdentifierMismatch":
      return "The transaction id and the reference name different payments."
    case "PaymentNotSettled":
      return `The payment has not settled: it is ${reason.status}.`
    case "PaymentNotRefundable":
      return "The payment was not paid from a wallet and cannot be refunded to one."
    case "CurrencyMismatch":
      return `The payment is in ${reason.payment}, the request in ${reason.requested}.`
    case "AlreadyRefunded":
      return "The payment is refunded in full."
    case "AmountExceedsRefundable": {
      const left = format({ currency: reason.currency, minor: reason.refundableMinor })
      return `More is asked than is left to refund, which is ${left} ${reason.currency}.`
    }
    case "CustomerWalletMissing":
      return "The customer has no wallet in this currency."
    case "InsufficientSettlementBalance":
      return "The merchant's settlement balance is too small."
    case "WalletDeclined":
      // Why is the host's own text, which may name the person: it stays out of what logs and spans show.
      return "The customer's wallet declined the refund."
  }
}

/** A rule refused the refund; nothing happened, and the idempotency key is free to be used again. */
export class RefundRefused extends Schema.TaggedError<RefundRefused>("@surety/core/refund/RefundError/RefundRefused")(
  "RefundRefused",
  { reason: RefundRefusal }
) {
  override get message(): string {
    return sentenceOf(this.reason)
  }
}

export class RefundNotFound extends Schema.TaggedError<RefundNotFound>(
  "@surety/core/refund/RefundError/RefundNotFound"
)("RefundNotFound", { refundId: RefundId }) {}
