import { Schema } from "effect"
import { PaymentId } from "../Ids.js"

export class PaymentNotFound extends Schema.TaggedError<PaymentNotFound>(
  "@surety/core/payment/PaymentError/PaymentNotFound"
)("PaymentNotFound", {}) {
  override get message(): string {
    return "The merchant has no such payment in this environment."
  }
}

/** Another payment of this merchant and environment has this id or reference. */
export class PaymentAlreadyRecorded extends Schema.TaggedError<PaymentAlreadyRecorded>(
  "@surety/core/payment/PaymentError/PaymentAlreadyRecorded"
)("PaymentAlreadyRecorded", { field: Schema.Literals(["transactionId", "reference"]) }) {
  override get message(): string {
    return `Another payment has this ${this.field === "reference" ? "reference" : "transaction_id"}.`
  }
}

/** The consumer's balance does not cover a TEST payment made from it. */
export class WalletBalanceTooSmall extends Schema.TaggedError<WalletBalanceTooSmall>(
  "@surety/core/payment/PaymentError/WalletBalanceTooSmall"
)("WalletBalanceTooSmall", {}) {
  override get message(): string {
    return "The consumer's wallet holds less than the payment's amount."
  }
}

export class PaymentAlreadySettled extends Schema.TaggedError<PaymentAlreadySettled>(
  "@surety/core/payment/PaymentError/PaymentAlreadySettled"
)("PaymentAlreadySettled", { paymentId: PaymentId }) {
  override get message(): string {
    return `Payment ${this.paymentId} is settled already.`
  }
}
