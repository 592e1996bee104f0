import { DateTime, Schema } from "effect"
import { RefundCompleted } from "../event/DomainEvent.js"
import { toNumber } from "../Money.js"
import { type Refund, RefundStatus } from "./Refund.js"

/** The refund as merchants read it: the keys of specification 2.5, with `items` where they were sent. */
export const RefundRecord = Schema.Struct({
  ...RefundCompleted.fields,
  status: RefundStatus,
  completedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  items: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        /** Major units. */
        amount: Schema.Finite,
        currency: Schema.String,
        reason: Schema.optionalKey(Schema.String)
      })
    )
  )
})
export type RefundRecord = typeof RefundRecord.Type

/** What the record's JSON text says, its keys in a fixed order. `undefined` ones are left out of the text. */
const payloadOf = (refund: Refund) => ({
  merchantId: refund.merchantId,
  refundId: refund.id,
  transactionId: refund.paymentId,
  reference: refund.reference,
  amount: toNumber(refund.amount),
  currency: refund.amount.currency,
  reason: refund.reason,
  status: refund.status,
  serviceId: refund.serviceId,
  completedAt: refund.completedAt === undefined ? undefined : DateTime.formatIso(refund.completedAt),
  merchantReference: refund.merchantReference
})

/** The body of `refund.completed`. */
export const eventBody = (refund: Refund): string => JSON.stringify(payloadOf(refund))

/** The body of the answer to `POST /v1/refunds`. */
export const answerBody = (refund: Refund): string =>
  JSON.stringify({
    ...payloadOf(refund),
    items: refund.items?.map(({ amountMinor, reason }) => ({
      amount: toNumber({ currency: refund.amount.currency, minor: amountMinor }),
      currency: refund.amount.currency,
      reason
    }))
  })
