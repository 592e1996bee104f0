import { Redacted, Schema } from "effect"
import type { VerificationKind } from "../verification/Verification.js"

/**
 * A keyed hash that replaces an identity number, such as a BVN, in storage: `keyId.mac`, an HMAC-SHA256 under a server
 * key. A plain hash of eleven digits can be reversed in seconds. The person's erasure replaces the hash with `erased.`
 * followed by the verification's id.
 */
export const IdentityHash = Schema.String.pipe(Schema.brand("IdentityHash"))
export type IdentityHash = typeof IdentityHash.Type

/**
 * An identity number. If it is well-formed, `text` is its normal form. Otherwise `text` is the number as received,
 * without spaces and dashes.
 */
export interface IdNumber {
  readonly kind: VerificationKind
  readonly text: Redacted.Redacted<string>
  /** True if the number is valid for its kind. If not, no provider is called. */
  readonly isWellFormed: boolean
  /** The last four characters, counted as Unicode code points. */
  readonly last4: string
}

const phoneForm = /^(?:0|\+?234)(\d{10})$/u

/** Spaces and dashes of any width, which people type between groups of digits. */
const separators = /[\p{Space_Separator}\p{Dash_Punctuation}]/gu

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
 * Normalises a number: drops spaces and dashes, uppercases the letters of a virtual NIN, and turns a phone number's
 * `+234…` or `234…` into `0…`. So these spellings of a number have the same hash and fingerprint (contract 8).
 *
 * In normal form, a BVN or NIN has 11 digits. A virtual NIN has 2 letters, 12 digits and 2 letters. A phone number has
 * `0` and ten digits. Any other string only loses its separators and is not well-formed.
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

/**
 * Returns the string that is hashed into an `IdentityHash`. It includes the kind, so equal digits of two kinds have
 * different hashes.
 */
export const identityText = ({ kind, text }: IdNumber): Redacted.Redacted<string> =>
  Redacted.make(`${kind}:${Redacted.value(text)}`)
