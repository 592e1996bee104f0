import { Environment } from "@surety/core/Environment"
import { MerchantId, PaymentId, UserId } from "@surety/core/Ids"
import { toNumber } from "@surety/core/Money"
import { type Payment, PaymentMethod, PaymentStatus, TestOutcome } from "@surety/core/payment/Payment"
import type { PaymentAlreadyRecorded } from "@surety/core/payment/PaymentError"
import { Schema } from "effect"
import { ServiceIdRecord, Timestamp } from "../field/Timestamp.js"
import { problem } from "../problem/Problem.js"
import type { RefusedAs } from "../problem/Refusal.js"

/** Amounts are in major units. */
export const PaymentRecord = Schema.Struct({
  transactionId: PaymentId,
  merchantId: MerchantId,
  environment: Environment,
  reference: Schema.optionalKey(Schema.String),
  amount: Schema.Finite,
  currency: Schema.String,
  refundedAmount: Schema.Finite,
  method: PaymentMethod,
  status: PaymentStatus,
  userId: Schema.optionalKey(UserId),
  serviceId: Schema.optionalKey(ServiceIdRecord),
  createdAt: Timestamp,
  settledAt: Schema.optionalKey(Timestamp),
  refundOutcome: Schema.optionalKey(
    TestOutcome.annotateKey({ description: "The outcome of refunds of this TEST payment." })
  )
}).annotate({ identifier: "Payment" })

export const paymentRecord = ({
  amount,
  id,
  refundedMinor,
  testOutcome,
  ...payment
}: Payment): typeof PaymentRecord.Type => ({
  ...payment,
  transactionId: id,
  amount: toNumber(amount),
  currency: amount.currency,
  refundedAmount: toNumber({ currency: amount.currency, minor: refundedMinor }),
  ...(testOutcome === undefined ? {} : { refundOutcome: testOutcome })
})

export const paymentAlreadyRecorded: RefusedAs<PaymentAlreadyRecorded> = {
  codes: ["payment_already_recorded"],
  problem: ({ field }) => problem("payment_already_recorded", { extension: { field } })
}
