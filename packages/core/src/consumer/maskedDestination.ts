import { Redacted } from "effect"
import { maskedEmail } from "./maskedValue.js"

const shownDigits = 4
const leastDigits = 8

/** Masks the e-mail address or phone number to which a message was sent. Its owner can usually still recognise it. */
export const maskedDestination = (destination: Redacted.Redacted<string>): string => {
  const text = Redacted.value(destination).trim()
  if (text.includes("@")) return maskedEmail(text)
  const digits = text.replace(/\D/gu, "")
  return digits.length < leastDigits ? "••••" : `•••• ${digits.slice(-shownDigits)}`
}
