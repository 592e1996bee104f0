import { Option } from "effect"

/** The 30 characters allowed in payloads and as check characters: Crockford's base 32 without `0` and `1`. */
export const alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ"

const crockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const crockfordCheckSymbols = `${crockfordDigits}*~$=U`

/**
 * A method to compute and check an identifier's last character. A host whose identifiers were issued by another system
 * provides its own scheme or checks only the shape.
 */
export interface CheckScheme {
  readonly name: string
  /**
   * Returns the check character of a payload of eight characters from `alphabet`. `None` if no identifier may be issued
   * with this payload.
   */
  readonly checkCharacter: (payload: string) => Option.Option<string>
  /** Returns true if the scheme accepts `check` for `payload`. Both must consist of characters from `alphabet`. */
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
 * Seven of the 37 symbols (`0 1 * ~ $ = U`) are outside `alphabet`. A payload that would need one is unusable, so about
 * 81 % of payloads remain. 37 is prime and 32 has order 36 modulo 37. So every substitution of one character and every
 * swap of two different characters is detected.
 *
 * @see https://www.crockford.com/base32.html
 */
export const crockford: CheckScheme = {
  name: "crockford",
  checkCharacter: crockfordCheckCharacter,
  accepts: (payload, check) => Option.contains(crockfordCheckCharacter(payload), check)
}

/**
 * Checks only the shape: any character of `alphabet` passes as the check character. New identifiers get the check
 * character of `crockford`.
 */
export const shapeOnly: CheckScheme = {
  name: "shape",
  checkCharacter: crockfordCheckCharacter,
  accepts: () => true
}
