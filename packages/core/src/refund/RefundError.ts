import { Schema } from "effect"
import { Currency } from "../Currency.js"
import { RefundId } from "../Ids.js"
import { AmountMinor, format } from "../Money.js"
import { PaymentStatus } from "../payment/Payment.js"
import { RefundStatus } from "./Refund.js"

/**
 * Refunds are switched off for this merchant, by the operator or, in TEST, by the merchant itself. Also raised if the
 * merchant does not exist.
 */
export class RefundsForbidden extends Schema.TaggedError<RefundsForbidden>(
  "@surety/core/refund/RefundError/RefundsForbidden"
)("RefundsForbidden", {}) {
  override get message(): string {
    return "Refunds are switched off for this merchant in this environment."
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

/** The payment id and the reference identify different payments, or only one of the two identifies a payment. */
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

/** Nothing is left to refund. Amounts in minor units are decimal strings in JSON, which has no bigint. */
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
 * The amount exceeds `refundableMinor`, the amount left to refund. Amounts in minor units are decimal strings in JSON,
 * which has no bigint.
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

/**
 * The merchant's settlement balance is too small and the operator allows no overdraft, or the TEST payment's outcome is
 * `no_balance`.
 */
export class InsufficientSettlementBalance extends Schema.TaggedError<InsufficientSettlementBalance>(
  "@surety/core/refund/RefundError/InsufficientSettlementBalance"
)("InsufficientSettlementBalance", {}) {
  override get message(): string {
    return "The merchant's settlement balance is too small."
  }
}

/** The host's or the sandbox's wallet declined to credit the consumer. No money was refunded. */
export class WalletDeclined extends Schema.TaggedError<WalletDeclined>(
  "@surety/core/refund/RefundError/WalletDeclined"
)("WalletDeclined", { reason: Schema.String }) {
  /** Omits the reason, since errors are logged and the host's own text may name the person. */
  override get message(): string {
    return "The customer's wallet declined the refund."
  }
}

/** Reasons to refuse a refund (contract 10). */
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

/** A rule or the wallet refused the refund. No money was refunded, and the idempotency key may be used again. */
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

/** A test helper cannot settle the refund: it is LIVE, is settled, waits for the host's wallet or stays leased. */
export class RefundNotWaiting extends Schema.TaggedError<RefundNotWaiting>(
  "@surety/core/refund/RefundError/RefundNotWaiting"
)("RefundNotWaiting", { refundId: RefundId, status: RefundStatus }) {
  override get message(): string {
    return `Refund ${this.refundId} is not waiting for the sandbox's wallet: it is ${this.status}.`
  }
}
