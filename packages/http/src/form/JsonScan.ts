import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  firstBeyondAscii,
  isSpace,
  openBrace,
  openBracket,
  quote,
  skip,
  skipAscii,
  withBeyondAscii
} from "./JsonBytes.js"

/** How deep objects and arrays may be nested. */
export const maxDepth = 32

/**
 * How many fields and items a body may have in total. The largest body of any route has about four hundred. Without
 * this bound, one body of unknown fields keeps the whole server busy reporting each of them.
 */
export const maxParts = 10_000

/** Which bound a text exceeds, or that it is not UTF-8. */
export type Excess = "too_deep" | "too_many_parts" | "not_utf8"

/** The bytes that end a run of ordinary ones outside strings. Those beyond ASCII are checked. */
const isStructure = withBeyondAscii(quote, comma, openBracket, closeBracket, openBrace, closeBrace)

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** The position after the whole characters of two or three bytes of the usual kind that begin here. */
const skipUsual = (piece: Uint8Array, start: number): number => {
  let at = start
  for (;;) {
    const first = piece[at] ?? 0
    if (first < 0xc2 || first === 0xe0 || first === 0xed || first >= 0xf0) return at
    if (!isContinuation(piece[at + 1] ?? 0)) return at
    if (first < 0xe0) at += 2
    else if (isContinuation(piece[at + 2] ?? 0)) at += 3
    else return at
  }
}

/**
 * Bounds the depth and the parts of a JSON text piece by piece, in one pass and constant memory, before any value is
 * built from it, and checks that it is UTF-8 (RFC 3629). `JSON.parse` of a text within the bounds makes at most
 * `maxParts` values. It does not validate JSON: any prefix of a text that a parser would accept is counted as the
 * parser reads it.
 */
export class JsonScan {
  #depth = 0
  #parts = 0
  #inString = false
  /** In a string: whether the next piece begins with an escaped character. */
  #escapes = false
  /** Whether the container opened last has no part yet. */
  #isFresh = false
  /** How many bytes of a character are missing, and what the next of them may be. */
  #missing = 0
  #least = 0
  #most = 0

  /** Scans the next piece. Returns the bound that it exceeds, which ends the scan. */
  add(piece: Uint8Array): Excess | undefined {
    const { length } = piece
    let at = this.#missing > 0 ? this.#character(piece, 0) : 0
    if (this.#inString && at >= 0) at = this.#endOfString(piece, at)
    while (at >= 0 && at < length) {
      if (!this.#isFresh) at = skip(piece, at, isStructure)
      if (at === length) return undefined
      const code = piece[at] ?? 0
      if (isSpace(code)) {
        at += 1
        continue
      }
      if (this.#isFresh && code !== closeBracket && code !== closeBrace) this.#parts += 1
      this.#isFresh = false
      if (code >= firstBeyondAscii) at = this.#character(piece, at)
      else {
        this.#take(code)
        at = code === quote ? this.#endOfString(piece, at + 1) : at + 1
      }
      if (this.#depth > maxDepth) return "too_deep"
      if (this.#parts > maxParts) return "too_many_parts"
    }
    return at < 0 ? "not_utf8" : undefined
  }

  /** Whether the text ends with a whole character. */
  get endsWhole(): boolean {
    return this.#missing === 0
  }

  #take(code: number): void {
    switch (code) {
      case quote:
        this.#inString = true
        break
      case openBracket:
      case openBrace:
        this.#depth += 1
        this.#isFresh = true
        break
      case closeBracket:
      case closeBrace:
        this.#depth -= 1
        break
      case comma:
        this.#parts += 1
        break
      default:
        break
    }
  }

  /** The position after the string that is open at `start`, or the piece's end if the string continues; -1: not UTF-8. */
  #endOfString(piece: Uint8Array, start: number): number {
    const { length } = piece
    let at = start
    while (at >= 0 && at < length) {
      if (this.#escapes) {
        this.#escapes = false
        if ((piece[at] ?? 0) < firstBeyondAscii) at += 1
      }
      at = skipAscii(piece, at)
      if (at >= length) return length
      const code = piece[at]
      if (code === quote) {
        this.#inString = false
        return at + 1
      }
      if (code !== backslash) {
        at = this.#afterCharacter(piece, at)
        continue
      }
      this.#escapes = true
      at += 1
    }
    return at
  }

  #afterCharacter(piece: Uint8Array, start: number): number {
    const at = skipUsual(piece, start)
    return at > start ? at : this.#character(piece, start)
  }

  /** The position after the character of several bytes that begins or continues at `start`; -1: not UTF-8. */
  #character(piece: Uint8Array, start: number): number {
    let at = start
    if (this.#missing === 0) {
      if (!this.#begin(piece[at] ?? 0)) return -1
      at += 1
    }
    while (this.#missing > 0 && at < piece.length) {
      const code = piece[at] ?? 0
      if (code < this.#least || code > this.#most) return -1
      this.#least = 0x80
      this.#most = 0xbf
      this.#missing -= 1
      at += 1
    }
    return at
  }

  /** Reads a character's first byte, and with it the bounds of its second: none is overlong or a surrogate. */
  #begin(code: number): boolean {
    this.#missing = code < 0xe0 ? 1 : code < 0xf0 ? 2 : 3
    this.#least = code === 0xe0 ? 0xa0 : code === 0xf0 ? 0x90 : 0x80
    this.#most = code === 0xed ? 0x9f : code === 0xf4 ? 0x8f : 0xbf
    return code >= 0xc2 && code <= 0xf4
  }
}
