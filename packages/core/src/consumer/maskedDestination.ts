import { Redacted } from "effect"
import { maskedEmail } from "./maskedValue.js"

/** Number of digits left visible at the end of a phone number, unless it has fewer than `leastDigits` digits. */
const shownDigits = 4
const leastDigits = 8

/** Masks the e-mail address or phone number that a message was sent to. Usually its owner can still recognise it. */
export const maskedDestination = (destination: Redacted.Redacted<string>): string => {
  const text = Redacted.value(destination).trim()
  if (text.includes("@")) return maskedEmail(text)
  const digits = text.replace(/\D/gu, "")
  return digits.length < leastDigits ? "••••" : `•••• ${digits.slice(-shownDigits)}`
}
