import { Result, Schema } from "effect"
import { Currency, decimals } from "./Currency.js"

/** The largest amount in minor units. Its 15 digits survive conversion to a JSON number in major units and back. */
export const maxMinor = 999_999_999_999_999n

/** An amount in minor units (kobo for NGN), from 0 to `maxMinor`. */
export const AmountMinor = Schema.BigInt.check(
  Schema.makeFilter((minor: bigint) => (minor >= 0n && minor <= maxMinor) || "Expected an amount of 0 to 15 digits")
)

/** A currency and an amount in its minor units. Never a float. */
export const Money = Schema.Struct({ currency: Currency, minor: AmountMinor })
export type Money = typeof Money.Type

/** Why a number is not a valid amount in a currency. */
export type AmountFault = "not_positive" | "too_large" | "too_precise"

const toDecimalText = (amount: number): string => {
  const text = String(amount)
  const [mantissa = "", exponent] = text.split("e")
  if (exponent === undefined) return text
  const [whole = "", fraction = ""] = mantissa.split(".")
  const shift = Number(exponent)
  return shift >= 0
    ? whole + fraction.padEnd(shift, "0")
    : `0.${"0".repeat(Math.max(0, -shift - whole.length))}${whole}${fraction}`
}

/**
 * Converts an amount from the wire: a JSON number in major units, greater than 0. In NGN, `2500.5` is 2500 naira 50
 * kobo.
 *
 * Parses the number's shortest decimal string, never its binary value, so no float arithmetic is involved. Rejects a
 * number with more decimals than the currency has, rather than rounding it.
 */
export const fromNumber = (amount: number, currency: Currency): Result.Result<Money, AmountFault> => {
  if (!(amount > 0)) return Result.fail("not_positive")
  if (amount > Number(maxMinor)) return Result.fail("too_large")
  const exponent = decimals(currency)
  const [whole = "", fraction = ""] = toDecimalText(amount).split(".")
  if (fraction.length > exponent) return Result.fail("too_precise")
  const minor = BigInt(whole + fraction.padEnd(exponent, "0"))
  return minor > maxMinor ? Result.fail("too_large") : Result.succeed({ currency, minor })
}

/** Converts an amount in minor units. Fails unless it is greater than 0 and at most `maxMinor`. */
export const fromMinor = (minor: bigint, currency: Currency): Result.Result<Money, AmountFault> => {
  if (minor <= 0n) return Result.fail("not_positive")
  return minor > maxMinor ? Result.fail("too_large") : Result.succeed({ currency, minor })
}

/** Formats an amount as a decimal string in major units: `2500.50`, or `-0.05` for a negative balance. */
export const format = ({ currency, minor }: Money): string => {
  if (minor < 0n) return `-${format({ currency, minor: -minor })}`
  const exponent = decimals(currency)
  if (exponent === 0) return minor.toString()
  const digits = minor.toString().padStart(exponent + 1, "0")
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

/** Converts an amount to its wire format: a JSON number in major units. Exact up to `maxMinor`. */
export const toNumber = (money: Money): number => Number(format(money))
