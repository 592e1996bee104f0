import { Redacted } from "effect"
import type { VerificationKind } from "./Verification.js"

/** An identity number, read: in the one form in which it is compared, hashed and sent. */
export interface IdNumber {
  readonly kind: VerificationKind
  readonly text: Redacted.Redacted<string>
  /** Whether a number of this kind can look so at all. Where not, no provider is asked. */
  readonly isWellFormed: boolean
  /** The last four characters, as people see them: no character is cut in two. */
  readonly last4: string
}

const phoneForm = /^(?:0|\+234)(\d{10})$/u

/** The canonical text of a number, or `undefined` where the kind cannot have such a one. */
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
 * Reads a number: BVN and NIN have 11 digits; a virtual NIN 2 letters, 12 digits and 2 letters, in any letter case;
 * phone numbers `0` or `+234` and ten digits, which name the same phone (contract 8). Any other text is kept as it is.
 */
export const read = (kind: VerificationKind, id: Redacted.Redacted<string>): IdNumber => {
  const form = canonical(kind, Redacted.value(id))
  const text = form ?? Redacted.value(id)
  return {
    kind,
    text: Redacted.make(text, { label: "identity number" }),
    isWellFormed: form !== undefined,
    last4: [...text].slice(-4).join("")
  }
}

/** What the hash is taken of, so that equal digits of two kinds have nothing in common. */
export const identityText = ({ kind, text }: IdNumber): Redacted.Redacted<string> =>
  Redacted.make(`${kind}:${Redacted.value(text)}`)
