import { Redacted } from "effect"
import { maskedEmail } from "./maskedValue.js"

/** Number of digits shown at the end of a phone number. A number of fewer than `leastDigits` digits shows none. */
const shownDigits = 4
const leastDigits = 8

/** Masks a message's destination so that only a person who knows it can recognise it. */
export const maskedDestination = (destination: Redacted.Redacted<string>): string => {
  const text = Redacted.value(destination).trim()
  if (text.includes("@")) return maskedEmail(text)
  const digits = text.replace(/\D/gu, "")
  return digits.length < leastDigits ? "••••" : `•••• ${digits.slice(-shownDigits)}`
}
