import { Refusal } from "./Refusal.ts"

const decimals = new Map([
  ["NGN", 2],
  ["USD", 2],
  ["EUR", 2],
  ["GBP", 2],
  ["GHS", 2],
  ["KES", 2],
  ["ZAR", 2],
  ["JPY", 0]
])

const largestMinor = 999_999_999_999_999

export const readCurrency = (code: string | undefined): string => {
  const currency = code === undefined ? "NGN" : code.toUpperCase()
  if (!decimals.has(currency)) throw new Refusal(400, "currency_unknown", "Expected a currency code of ISO 4217.")
  return currency
}

/**
 * Converts major units to minor units. Throws a `Refusal` if the conversion is not exact, or if the amount is too
 * large.
 */
export const toMinor = (amount: number, currency: string): bigint => {
  const digits = decimals.get(currency) ?? 2
  const minor = Math.round(amount * 10 ** digits)
  if (Number((minor / 10 ** digits).toFixed(digits)) !== amount) {
    throw new Refusal(400, "amount_precision", `${currency} amounts have at most ${digits} decimals.`)
  }
  if (minor > largestMinor) throw new Refusal(400, "amount_too_large", "The amount is too large.")
  return BigInt(minor)
}

export const toMajor = (minor: bigint, currency: string): number => Number(minor) / 10 ** (decimals.get(currency) ?? 2)
