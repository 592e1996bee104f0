import { Effect } from "effect"
import { Digest } from "effect/crypto"

/** In UTF-16 code units. */
const pieceLength = 65_536

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/**
 * The SHA-256, in hex, of the SHA-256s of a text's pieces: equal for equal texts alone, like one of the whole. A text of
 * 12,000,000 characters is so never copied into bytes as a whole; a piece ends between two characters, never in one.
 */
export const textDigest = Effect.fnUntraced(function* (text: string) {
  const digest = yield* Digest.Digest
  const encoder = new TextEncoder()
  const digests: Array<string> = []
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    digests.push(yield* digest.digestHex(Digest.sha256, encoder.encode(text.slice(start, next))))
    start = next
  }
  return yield* digest.digestHex(Digest.sha256, encoder.encode(digests.join("")))
})
