import { Redacted } from "effect"
import { maskedEmail } from "./maskedValue.js"

/** How much of a number is shown, and how many digits it must have for that. */
const shownDigits = 4
const leastDigits = 8

/** Where a message went, as it may be shown to whoever has a link: enough to know one's own number or address again. */
export const maskedDestination = (destination: Redacted.Redacted<string>): string => {
  const text = Redacted.value(destination).trim()
  if (text.includes("@")) return maskedEmail(text)
  const digits = text.replace(/\D/gu, "")
  return digits.length < leastDigits ? "••••" : `•••• ${digits.slice(-shownDigits)}`
}
