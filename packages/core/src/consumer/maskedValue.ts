import { Redacted, type Schema } from "effect"
import { type IdentityField, serviceIdField } from "./IdentityField.js"

/** Replaces hidden text without revealing its length. */
const hidden = "•••"

const firstCharacter = (text: string): string => [...text][0] ?? ""

const maskedWord = (word: string): string => `${firstCharacter(word)}${hidden}`

const maskedText = (text: string): string => text.trim().split(/\s+/u).slice(0, 4).map(maskedWord).join(" ")

/** Masks an e-mail address except its first character and its domain. */
export const maskedEmail = (text: string): string => {
  const at = text.lastIndexOf("@")
  return `${firstCharacter(text)}${hidden}${at < 0 ? "" : text.slice(at)}`
}

/** Masks the middle of a service id, so that people can compare its end with the identifier they know. */
const maskedServiceId = (text: string): string => `${text.slice(0, 4)}${hidden}${text.slice(-6)}`

/**
 * Masks a value for a viewer who may not see it in full. `country`, `kyc_status` and booleans are shown in full, since
 * they take few values. Numbers, nulls and structured values are hidden.
 */
export const maskedValue = (field: IdentityField, value: Redacted.Redacted<Schema.Json>): string | boolean => {
  const known = Redacted.value(value)
  if (typeof known === "boolean") return known
  if (typeof known === "number") return hidden
  if (typeof known !== "string") return hidden
  if (field === serviceIdField) return maskedServiceId(known)
  if (field === "country" || field === "kyc_status") return known
  return known.includes("@") ? maskedEmail(known) : maskedText(known)
}
