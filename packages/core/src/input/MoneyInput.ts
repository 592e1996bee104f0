import { Result, Schema } from "effect"
import * as Currency from "../Currency.js"
import { PaymentId } from "../Ids.js"
import * as Money from "../Money.js"
import type { InputFault } from "./InputFault.js"
import { identifierText } from "./Text.js"

/**
 * An amount on the wire: a JSON number in major units. `readAmount` rejects an amount that is not greater than 0, is
 * too large, or has more decimals than the currency.
 */
export const Amount = Schema.Finite.annotate({
  description:
    "Major units: 2500.5 is two thousand five hundred naira fifty kobo. No more decimals than the currency has.",
  examples: [2500.5],
  codes: ["amount_precision"]
})

/** A currency on the wire: an ISO 4217 code in any letter case. `readCurrency` rejects unknown codes. */
export const CurrencyCode = Schema.String.annotate({
  description: "An ISO 4217 code in any letter case. Default NGN.",
  examples: ["NGN"],
  codes: ["currency_unknown"]
})

/** A payment's id in a request: opaque, 1 to 128 characters (contract 1.3). */
export const TransactionId = identifierText(128)
  .annotate({
    description: "The platform's id of the payment.",
    examples: ["payment_01jq3v8m5yfq8tq6x1m3c2a9zr"]
  })
  .pipe(Schema.decodeTo(Schema.toType(PaymentId)))

/** A checkout reference of 1 to 255 characters: the merchant's own name for a payment. */
export const Reference = identifierText(255).annotate({ examples: ["order-1001"] })

type Path = InputFault["path"]

/** A fault found by `readAmount`, `readCurrency` or `readMoney`. */
export type MoneyFault = InputFault<
  "amount_not_positive" | "amount_too_large" | "amount_precision" | "currency_unknown"
>

export const amountNotPositive = (path: Path): MoneyFault => ({
  path,
  code: "amount_not_positive",
  detail: "The amount must be greater than 0."
})

export const amountTooLarge = (currency: Currency.Currency, path: Path): MoneyFault => ({
  path,
  code: "amount_too_large",
  detail: `The largest amount is ${Money.format({ currency, minor: Money.maxMinor })} ${currency}.`
})

/** Parses an ISO 4217 code in any letter case. Defaults to NGN if `code` is undefined (contract 9). */
export const readCurrency = (code: string | undefined, path: Path): Result.Result<Currency.Currency, MoneyFault> => {
  const currency = code === undefined ? Currency.NGN : Currency.fromCode(code)
  return currency === undefined
    ? Result.fail({ path, code: "currency_unknown", detail: "Expected an ISO 4217 currency code, such as NGN." })
    : Result.succeed(currency)
}

/**
 * Returns an amount in minor units, without rounding. A number is in major units, a bigint already in minor units.
 * Fails if the amount is not positive, is too large or has more decimals than the currency.
 */
export const readAmount = (
  amount: number | bigint,
  currency: Currency.Currency,
  path: Path
): Result.Result<bigint, MoneyFault> =>
  Result.mapBoth(typeof amount === "bigint" ? Money.fromMinor(amount, currency) : Money.fromNumber(amount, currency), {
    onSuccess: ({ minor }) => minor,
    onFailure: (fault) => {
      switch (fault) {
        case "not_positive":
          return amountNotPositive(path)
        case "too_large":
          return amountTooLarge(currency, path)
        case "too_precise":
          return {
            path,
            code: "amount_precision" as const,
            detail: `${currency} amounts have at most ${Currency.decimals(currency)} decimals.`
          }
      }
    }
  })

/** Converts an input's `amount` and `currency` to money, without rounding. The currency defaults to NGN. */
export const readMoney = (input: {
  readonly amount: number | bigint
  readonly currency?: string
}): Result.Result<Money.Money, MoneyFault> =>
  Result.flatMap(readCurrency(input.currency, ["currency"]), (currency) =>
    Result.map(readAmount(input.amount, currency, ["amount"]), (minor) => ({ currency, minor }))
  )
