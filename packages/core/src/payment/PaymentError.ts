import { Schema } from "effect"
import { PaymentId } from "../Ids.js"

export class PaymentNotFound extends Schema.TaggedError<PaymentNotFound>(
  "@surety/core/payment/PaymentError/PaymentNotFound"
)("PaymentNotFound", {}) {}

/** Another payment of this merchant and environment has this id or this reference. */
export class PaymentAlreadyRecorded extends Schema.TaggedError<PaymentAlreadyRecorded>(
  "@surety/core/payment/PaymentError/PaymentAlreadyRecorded"
)("PaymentAlreadyRecorded", { field: Schema.Literals(["transactionId", "reference"]) }) {}

export class PaymentAlreadySettled extends Schema.TaggedError<PaymentAlreadySettled>(
  "@surety/core/payment/PaymentError/PaymentAlreadySettled"
)("PaymentAlreadySettled", { paymentId: PaymentId }) {}
