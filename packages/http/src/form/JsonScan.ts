import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  endsPlain,
  firstBeyondAscii,
  isSpace,
  openBrace,
  openBracket,
  quote,
  skip,
  skipPlain,
  skipTo,
  withBeyondAscii,
  worthWords
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

/** Longer than any character. */
const mostBytesOfCharacter = 4

/**
 * The position after the characters of several bytes that begin here (RFC 3629): before the first byte that is no part of one, or
 * has too few bytes after it to decide.
 */
const afterCharacters = (piece: Uint8Array, start: number): number => {
  // Reading beyond the end would make every read slower.
  const last = piece.length - mostBytesOfCharacter
  let at = start
  while (at <= last) {
    const first = piece[at] ?? 0
    const second = piece[at + 1] ?? 0
    if (first < 0xc2 || first > 0xf4 || !isContinuation(second)) return at
    if (first < 0xe0) {
      at += 2
      continue
    }
    if (!isContinuation(piece[at + 2] ?? 0)) return at
    if (first < 0xf0) {
      if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return at
      at += 3
      continue
    }
    if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return at
    if (!isContinuation(piece[at + 3] ?? 0)) return at
    at += 4
  }
  return at
}

/**
 * The position after a string's characters, as they are or escaped: of its end, of a backslash with nothing or no ASCII behind
 * it, or of what `afterCharacters` does not pass.
 */
const skipText = (piece: Uint8Array, start: number): number => {
  const { length } = piece
  let at = start
  for (;;) {
    const near = Math.min(at + worthWords, length)
    at = skipTo(piece, at, near, endsPlain)
    if (at === near) at = skipPlain(piece, at)
    if (at >= length) return length
    const byte = piece[at] ?? 0
    if (byte >= firstBeyondAscii) {
      const after = afterCharacters(piece, at)
      if (after === at) return at
      at = after
    } else {
      if (byte === quote || at + 1 === length || (piece[at + 1] ?? 0) >= firstBeyondAscii) return at
      at += 2
    }
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
      at = skipText(piece, at)
      if (at >= length) return length
      const code = piece[at]
      if (code === quote) {
        this.#inString = false
        return at + 1
      }
      if (code !== backslash) {
        at = this.#character(piece, at)
        continue
      }
      this.#escapes = true
      at += 1
    }
    return at
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
