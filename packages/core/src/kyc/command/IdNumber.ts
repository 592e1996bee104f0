import { Redacted } from "effect"
import type { VerificationKind } from "../verification/Verification.js"

/** An identity number in its normal form: the one that is checked, hashed, compared and sent. */
export interface IdNumber {
  readonly kind: VerificationKind
  readonly text: Redacted.Redacted<string>
  /** Whether the kind can have such a number. If not, no provider is asked. */
  readonly isWellFormed: boolean
  /** The last four characters. Surrogate pairs stay whole. */
  readonly last4: string
}

const phoneForm = /^(?:0|\+?234)(\d{10})$/u

/** Spaces and dashes of any width, which people put between digits. */
const separators = /[\p{Space_Separator}\p{Dash_Punctuation}]/gu

/** The normal form of a number, or `undefined` if the kind cannot have such a number. */
const canonical = (kind: VerificationKind, text: string): string | undefined => {
  switch (kind) {
    case "bvn":
    case "nin":
      return /^\d{11}$/u.test(text) ? text : undefined
    case "vnin":
      return /^[A-Za-z]{2}\d{12}[A-Za-z]{2}$/u.test(text) ? text.toUpperCase() : undefined
    case "phone":
    case "nin_phone": {
      const subscriber = phoneForm.exec(text)?.[1]
      return subscriber === undefined ? undefined : `0${subscriber}`
    }
  }
}

/**
 * Normalises a number: spaces and hyphens are dropped, letters become upper case, and `+234…` and `234…` become `0…`, so
 * each spelling has the same hash and fingerprint (contract 8).
 *
 * BVN and NIN have 11 digits; a virtual NIN 2 letters, 12 digits and 2 letters; a phone number `0` and ten digits. Any
 * other text is kept without its separators and is not well-formed.
 */
export const read = (kind: VerificationKind, id: Redacted.Redacted<string>): IdNumber => {
  const sent = Redacted.value(id).replace(separators, "")
  const normal = canonical(kind, sent)
  const text = normal ?? sent
  return {
    kind,
    text: Redacted.make(text, { label: "identity number" }),
    isWellFormed: normal !== undefined,
    last4: [...text].slice(-4).join("")
  }
}

/** What the hash is taken of, so that equal digits of two kinds have nothing in common. */
export const identityText = ({ kind, text }: IdNumber): Redacted.Redacted<string> =>
  Redacted.make(`${kind}:${Redacted.value(text)}`)
