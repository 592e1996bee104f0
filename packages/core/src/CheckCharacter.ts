import { Option } from "effect"

/** The 30 characters of identifiers: Crockford's base 32 without `0` and `1`. */
export const alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ"

const crockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const crockfordCheckSymbols = `${crockfordDigits}*~$=U`

/**
 * Computes the last character of an identifier from its payload. A host whose identifiers were issued elsewhere brings
 * its own scheme, or checks the shape alone.
 */
export interface CheckScheme {
  readonly name: string
  /**
   * The check character of a payload of eight characters of `alphabet`. None if the payload is unusable: such a payload
   * is never issued and never valid.
   */
  readonly checkCharacter: (payload: string) => Option.Option<string>
  /** Whether `check` belongs to `payload`. Both are already known to be in `alphabet`. */
  readonly accepts: (payload: string, check: string) => boolean
}

const crockfordCheckCharacter = (payload: string): Option.Option<string> => {
  let remainder = 0
  for (const character of payload) {
    const digit = crockfordDigits.indexOf(character)
    if (digit < 0) return Option.none()
    remainder = (remainder * 32 + digit) % 37
  }
  const check = crockfordCheckSymbols.charAt(remainder)
  return alphabet.includes(check) ? Option.some(check) : Option.none()
}

/**
 * Crockford's check symbol: the payload as a base-32 number modulo 37.
 *
 * Seven of the 37 symbols (`0 1 * ~ $ = U`) are outside `alphabet`; payloads that would need one are not usable, so
 * about 81 % of payloads are. 37 is prime and 32 has order 36 modulo 37, so every substitution of one character and
 * every swap of two different ones is caught.
 *
 * @see https://www.crockford.com/base32.html
 */
export const crockford: CheckScheme = {
  name: "crockford",
  checkCharacter: crockfordCheckCharacter,
  accepts: (payload, check) => Option.contains(crockfordCheckCharacter(payload), check)
}

/** Checks the shape alone: any character of `alphabet` passes as the check character. Issues as Crockford does. */
export const shapeOnly: CheckScheme = {
  name: "shape",
  checkCharacter: crockfordCheckCharacter,
  accepts: () => true
}
