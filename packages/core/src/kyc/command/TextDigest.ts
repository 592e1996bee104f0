import { Effect } from "effect"
import { Digest } from "effect/crypto"

/** Length of the pieces that `textDigest` hashes, in UTF-16 code units. */
const pieceLength = 65_536
const mostBytesPerUnit = 3

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/**
 * Returns the SHA-256, in hex, of the SHA-256s of a string's pieces. Like a digest of the complete string, it differs
 * for different strings. A long string is converted to bytes piece by piece. No piece ends within a surrogate pair.
 */
export const textDigest = Effect.fnUntraced(function* (text: string) {
  const digest = yield* Digest.Digest
  const encoder = new TextEncoder()
  // Reusing one buffer is twice as fast as allocating one per piece.
  const room = new Uint8Array(mostBytesPerUnit * (Math.min(pieceLength, text.length) + 1))
  const digests: Array<string> = []
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength
    const next = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    digests.push(
      yield* digest.digestHex(
        Digest.sha256,
        room.subarray(0, encoder.encodeInto(text.slice(start, next), room).written)
      )
    )
    start = next
  }
  return yield* digest.digestHex(Digest.sha256, encoder.encode(digests.join("")))
})
