import { Currency } from "@surety/core/Currency"
import { Environment } from "@surety/core/Environment"
import { PaymentId, UserId } from "@surety/core/Ids"
import { AmountMinor } from "@surety/core/Money"
import { type Payment, PaymentMethod, PaymentStatus, TestOutcome } from "@surety/core/payment/Payment"
import { Effect, Schema } from "effect"
import * as Column from "../sql/ColumnSchemas.js"

/** Column schemas of a payment, without merchant and environment. */
export const ownColumns = {
  id: PaymentId,
  reference: Column.nullable(Schema.String),
  method: PaymentMethod,
  status: PaymentStatus,
  currency: Currency,
  amountMinor: AmountMinor,
  refundedMinor: AmountMinor,
  userId: Column.nullable(UserId),
  serviceId: Column.nullable(Column.consumerId),
  createdAt: Column.time,
  settledAt: Column.nullable(Column.time),
  testOutcome: Column.nullable(TestOutcome)
}

const PaymentRow = Schema.Struct({ ...ownColumns, merchantId: Column.merchantId, environment: Environment })

export const columns = `p.id, p.merchant_id as "merchantId", p.environment, p.reference, p.method, p.status, p.currency,
  p.amount_minor as "amountMinor", p.refunded_minor as "refundedMinor", p.user_id as "userId",
  p.service_id as "serviceId", p.created_at as "createdAt", p.settled_at as "settledAt",
  p.test_outcome as "testOutcome"`

export const paymentOf = ({ amountMinor, currency, ...row }: typeof PaymentRow.Type): Payment => ({
  ...row,
  amount: { currency, minor: amountMinor }
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(PaymentRow))

export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Payment>, Schema.SchemaError> =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(paymentOf))
