import { Schema } from "effect"

/** An amount on the wire: a JSON number in major units, greater than 0. How precise it may be is the currency's. */
export const Amount = Schema.Finite.annotate({
  description:
    "Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency has.",
  examples: [2500.5]
})

/** A currency on the wire: an ISO 4217 code in any letter case. Whether it is known is the core's to say. */
export const CurrencyCode = Schema.String.annotate({
  description: "An ISO 4217 code in any letter case. Default NGN.",
  examples: ["NGN"]
})
