import { type Currency, decimals } from "@surety/core/Currency"
import { fromMinor, type Money } from "@surety/core/Money"
import { Result } from "effect"

/**
 * Pattern of an amount with at most fifteen digits before the point. A comma separates thousands and is never a decimal
 * point.
 */
const typed = /^(\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.(\d{1,4}))?$/u

/**
 * Parses an operator's amount in major units, such as `1,000.50`. Returns `undefined` if the string does not match
 * `typed`. Also returns `undefined` if the amount is 0, too large, or has more decimals than the currency allows.
 */
export const typedAmount = (text: string, currency: Currency): Money | undefined => {
  const found = typed.exec(text.trim())
  if (found === null) return undefined
  const [, whole = "", fraction = ""] = found
  const places = decimals(currency)
  if (fraction.length > places) return undefined
  const money = fromMinor(BigInt(whole.replaceAll(",", "") + fraction.padEnd(places, "0")), currency)
  return Result.isSuccess(money) ? money.success : undefined
}
