import * as Currency from "@surety/core/Currency"
import * as Money from "@surety/core/Money"
import { Result } from "effect"
import { type Fault, inBody } from "../problem/Fault.js"

const faultCodes = {
  not_positive: "amount_not_positive",
  too_large: "amount_too_large",
  too_precise: "amount_precision"
} as const satisfies Record<Money.AmountFault, string>

const describe = (fault: Money.AmountFault, currency: Currency.Currency): string => {
  switch (fault) {
    case "not_positive":
      return "The amount must be greater than 0."
    case "too_large":
      return `The largest amount is ${Money.format({ currency, minor: Money.maxMinor })} ${currency}.`
    case "too_precise":
      return `${currency} amounts have at most ${Currency.decimals(currency)} decimals.`
  }
}

/** The exact money of a body's `amount` and `currency` (contract 9). A missing currency means NGN. */
export const readMoney = (body: {
  readonly amount: number
  readonly currency?: string
}): Result.Result<Money.Money, ReadonlyArray<Fault>> => {
  const currency = body.currency === undefined ? Currency.NGN : Currency.fromCode(body.currency)
  if (currency === undefined) {
    return Result.fail([inBody(["currency"], "currency_unknown", "Expected a currency code of ISO 4217, such as NGN.")])
  }
  return Result.mapError(Money.fromNumber(body.amount, currency), (fault) => [
    inBody(["amount"], faultCodes[fault], describe(fault, currency))
  ])
}
