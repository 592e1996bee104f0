import { Redacted } from "effect"
import { maskedEmail } from "./maskedValue.js"

/** A phone number shows its last four digits, or none if it has fewer than eight. */
const shownDigits = 4
const leastDigits = 8

/** Masks a message's destination for the bearer of a link: enough to recognise a familiar number or address. */
export const maskedDestination = (destination: Redacted.Redacted<string>): string => {
  const text = Redacted.value(destination).trim()
  if (text.includes("@")) return maskedEmail(text)
  const digits = text.replace(/\D/gu, "")
  return digits.length < leastDigits ? "••••" : `•••• ${digits.slice(-shownDigits)}`
}
