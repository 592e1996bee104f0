import { PaymentId } from "@surety/core/Ids"
import { Schema } from "effect"
import { identifierText } from "./Text.js"

/** A payment's id in a request: opaque, 1 to 128 characters (contract 1.3). */
export const TransactionId = identifierText(128)
  .annotate({
    description: "The platform's id of the payment.",
    examples: ["payment_01jq3v8m5yfq8tq6x1m3c2a9zr"]
  })
  .pipe(Schema.decodeTo(Schema.toType(PaymentId)))

/** A checkout reference: the merchant's own name of a payment. */
export const Reference = identifierText(255).annotate({ examples: ["order-1001"] })
