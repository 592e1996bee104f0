import { RefundCompleted, refundCompletedText } from "@surety/core/event/EventPayload"
import { toNumber } from "@surety/core/Money"
import { type Refund, RefundStatus } from "@surety/core/refund/Refund"
import { Schema } from "effect"

/**
 * A refund in any status, as returned to merchants (specification 2.5). Has the fields of the event `refund.completed`,
 * and `items` if they were sent.
 */
export const RefundRecord = Schema.Struct({
  ...RefundCompleted.fields,
  status: RefundStatus,
  completedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  items: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        /** In major units. */
        amount: Schema.Finite,
        currency: Schema.String,
        reason: Schema.optionalKey(Schema.String)
      })
    )
  )
}).annotate({ identifier: "Refund" })

const itemsOf = ({ amount: { currency }, items }: Refund) =>
  items?.map(({ amountMinor, reason }) => ({ amount: toNumber({ currency, minor: amountMinor }), currency, reason }))

/**
 * Encodes a refund's record as JSON: the fields of the event `refund.completed`, then the items. Avoids the schema's
 * slower encoder, because this runs for every refund.
 */
export const refundJson = (refund: Refund): string => {
  const items = itemsOf(refund)
  const payload = refundCompletedText(refund)
  return items === undefined ? payload : `${payload.slice(0, -1)},"items":${JSON.stringify(items)}}`
}
