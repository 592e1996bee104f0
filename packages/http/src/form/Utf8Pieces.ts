const first = new TextDecoder("utf-8", { fatal: true })
const later = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** The length in bytes of the character that starts with this byte. */
const lengthFrom = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1)

/** Where an incomplete last character begins, or the length if every character is complete. */
const endOfWhole = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const start = bytes.length - back
    const byte = bytes[start] ?? 0
    if (!isContinuation(byte)) return lengthFrom(byte) > back ? start : bytes.length
  }
  return bytes.length
}

const joined = (a: Uint8Array, b: Uint8Array): Uint8Array => {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

const nothing = new Uint8Array(0)

/**
 * Decodes UTF-8 piece by piece, each separately: a streaming decoder makes strings of two bytes for each ASCII
 * character. Throws if the bytes are not UTF-8.
 */
export class Utf8Pieces {
  #rest: Uint8Array = nothing
  #decoder = first

  /** Returns the text of this piece, without an incomplete last character. */
  add(piece: Uint8Array): string {
    const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece)
    const end = endOfWhole(bytes)
    this.#rest = bytes.slice(end)
    if (end === 0) return ""
    const text = this.#decoder.decode(bytes.subarray(0, end))
    this.#decoder = later
    return text
  }

  /** Throws if the last character is incomplete. */
  end(): void {
    if (this.#rest.length > 0) this.#decoder.decode(this.#rest)
  }
}
