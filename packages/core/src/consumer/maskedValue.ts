import { Redacted, type Schema } from "effect"
import { type IdentityField, serviceIdField } from "./IdentityField.js"

/** Replaces hidden text without revealing its length. */
const hidden = "•••"

const firstCharacter = (text: string): string => [...text][0] ?? ""

const maskedWord = (word: string): string => `${firstCharacter(word)}${hidden}`

const maskedText = (text: string): string => text.trim().split(/\s+/u).slice(0, 4).map(maskedWord).join(" ")

/** Masks the local part of an email address. The domain stays, since people have more than one address. */
export const maskedEmail = (text: string): string => {
  const at = text.lastIndexOf("@")
  return `${firstCharacter(text)}${hidden}${text.slice(at)}`
}

/** Keeps the end, which people compare with the identifier they know. */
const maskedServiceId = (text: string): string => `${text.slice(0, 4)}${hidden}${text.slice(-6)}`

/**
 * Masks a value for the person who decides who may read it: enough to recognise it, too little for others who see the
 * screen. Values from a small set (`country`, `kyc_status`, booleans) are shown in full.
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
