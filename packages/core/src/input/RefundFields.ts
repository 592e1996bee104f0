import { Schema } from "effect"
import { Amount, CurrencyCode } from "./MoneyInput.js"
import { atLeastItems, atMostItems, text } from "./Text.js"

/** Why a payment is being refunded, in at most 500 characters (specification 4.2). */
export const RefundReason = text(500)

/** The merchant's own reference for a refund, of at most 120 characters. */
export const MerchantReference = text(120)

/** One item of an itemised refund. Its reason has at most 240 characters. */
export const RefundItemInput = Schema.Struct({
  amount: Amount,
  currency: Schema.optionalKey(CurrencyCode),
  reason: Schema.optionalKey(text(240))
}).annotate({ identifier: "RefundItemRequest" })

/**
 * Items of a refund: 1 to 100. Their amounts must add up to the refund's amount, which this schema does not check.
 */
export const RefundItems = Schema.Array(RefundItemInput).check(atLeastItems(1), atMostItems(100))
