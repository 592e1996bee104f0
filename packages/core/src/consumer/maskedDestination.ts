import { Redacted } from "effect"
import { maskedEmail } from "./maskedValue.js"

/** How many digits of a number are shown, and how many it must have for that. */
const shownDigits = 4
const leastDigits = 8

/** Where a message was sent, as shown to the bearer of a link: enough to recognise a familiar number or address. */
export const maskedDestination = (destination: Redacted.Redacted<string>): string => {
  const text = Redacted.value(destination).trim()
  if (text.includes("@")) return maskedEmail(text)
  const digits = text.replace(/\D/gu, "")
  return digits.length < leastDigits ? "••••" : `•••• ${digits.slice(-shownDigits)}`
}
