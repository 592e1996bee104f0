import type { HmacKey } from "./Hmac.js"

/** The signed content, and the encoding of its signature. */
export interface Signed {
  readonly prefix: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly encoding: "base64" | "hex"
}

/**
 * Returns true if one of the keys made one of the given signatures. Tries every key against every signature, even after
 * a match, so that the time taken does not reveal which one matched.
 */
export const isSignedBy = async (
  keys: ReadonlyArray<HmacKey>,
  { prefix, body, encoding }: Signed,
  given: ReadonlyArray<string>
): Promise<boolean> => {
  let found = false
  for (const key of keys) {
    const expected = await key(prefix, body, encoding)
    for (const signature of given) found = constantTimeEquals(expected, signature) || found
  }
  return found
}

/** Compares in time that depends only on the length of `expected`, which is not secret. */
const constantTimeEquals = (expected: string, given: string): boolean => {
  let difference = expected.length ^ given.length
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index)
  }
  return difference === 0
}
