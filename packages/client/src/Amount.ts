import { UsageError } from "./SuretyError.js"

/** Maximum number of digits, not counting leading zeros. A double preserves any 15 significant decimal digits. */
const mostDigits = 15

/**
 * Converts a decimal string of major units to the number that the API takes: `"2500.50"` becomes 2500.5. Throws
 * `UsageError` for anything but digits with an optional decimal part. To avoid rounding, also throws it for more than
 * 15 digits, not counting leading zeros.
 *
 * @example
 * import { amountOf } from "@surety/client"
 *
 * console.log(amountOf("2500.50")) // 2500.5
 */
export const amountOf = (decimal: string): number => {
  const match = /^(?<whole>\d+)(?:\.(?<fraction>\d+))?$/u.exec(decimal)
  const digits = ((match?.groups?.whole ?? "") + (match?.groups?.fraction ?? "")).replace(/^0+/u, "")
  if (match !== null && digits.length <= mostDigits) return Number(decimal)
  throw new UsageError("An amount must be digits, with a point before any decimals: at most 15 digits in all.")
}

/**
 * Converts minor units of a currency with `decimals` decimals to the number that the API takes. For example,
 * `amountOfMinor(250050n, 2)` is 2500.5. Throws `UsageError` if the amount is negative or has more than 15 digits.
 *
 * @example
 * import { amountOfMinor } from "@surety/client"
 *
 * console.log(amountOfMinor(250050n, 2)) // 2500.5
 */
export const amountOfMinor = (minor: bigint, decimals: number): number => {
  const digits = minor.toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  return amountOf(decimals === 0 ? whole : `${whole}.${digits.slice(digits.length - decimals)}`)
}

/**
 * Converts a response's amount to minor units, for sums without floats: `minorOf(2500.5, 2)` is 250050n. Throws
 * `UsageError` if the amount is negative, not finite, or has more than `decimals` decimals. Also throws it for an
 * amount that prints with an exponent, such as 1e21 or 1e-7.
 *
 * @example
 * import { minorOf } from "@surety/client"
 *
 * console.log(minorOf(2500.5, 2)) // 250050n
 */
export const minorOf = (amount: number, decimals: number): bigint => {
  const match = /^(?<whole>\d+)(?:\.(?<fraction>\d+))?$/u.exec(String(amount))
  const { fraction = "", whole = "" } = match?.groups ?? {}
  if (match === null || fraction.length > decimals) {
    throw new UsageError(`The amount is not a number with at most ${decimals} decimals.`)
  }
  return BigInt(whole + fraction.padEnd(decimals, "0"))
}
