import {
  closeBrace,
  closeBracket,
  comma,
  firstBeyondAscii,
  openBrace,
  openBracket,
  quote,
  skipPlain,
  skipSpace,
  skipValues,
  worthWords
} from "./JsonBytes.js"
import { behindString, betweenCharacters, isWithinCharacter, nextState, notUtf8 } from "./StringStates.js"

export const maxDepth = 32

/**
 * Maximum total number of fields and items in a body. Limits the work that one body can cause, but far exceeds the
 * needs of any route.
 */
export const maxParts = 10_000

export type Excess = "too_deep" | "too_many_parts" | "not_utf8"

/**
 * Limits the depth and the number of fields and items of a JSON text before any value is built. Checks that the text is
 * UTF-8 (RFC 3629). Scans piece by piece, in one pass and constant memory. Does not validate JSON, but counts any
 * prefix of a valid text as a parser would.
 */
export class JsonScan {
  #depth = 0
  #parts = 0
  #inString = false
  /** State within a string or a multi-byte character, as in `StringStates`. */
  #state = betweenCharacters
  /** True if the last byte other than white space opened an object or array. */
  #isFresh = false

  /** Scans the next piece. Returns the reason if the scan fails, otherwise `undefined`. A failure ends the scan. */
  add(piece: Uint8Array): Excess | undefined {
    const { length } = piece
    let at = this.#inString ? this.#string(piece, 0) : this.endsWhole ? 0 : this.#character(piece, 0)
    while (at < length && this.#state !== notUtf8) {
      at = this.#isFresh ? skipSpace(piece, at) : skipValues(piece, at)
      if (at === length) return undefined
      const code = piece[at] ?? 0
      if (this.#isFresh && code !== closeBracket && code !== closeBrace) this.#parts += 1
      this.#isFresh = false
      if (code >= firstBeyondAscii) at = this.#character(piece, at)
      else {
        this.#take(code)
        at = code === quote ? this.#string(piece, at + 1) : at + 1
      }
      if (this.#depth > maxDepth) return "too_deep"
      if (this.#parts > maxParts) return "too_many_parts"
    }
    return this.#state === notUtf8 ? "not_utf8" : undefined
  }

  /** True if the text scanned so far ends on a character boundary. */
  get endsWhole(): boolean {
    return !isWithinCharacter(this.#state)
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

  /**
   * Returns the position after the string that is open at `start`, or after its first byte that is not UTF-8. Returns
   * the piece's length if the string continues.
   */
  #string(piece: Uint8Array, start: number): number {
    const { length } = piece
    let at = start
    let state = this.#state
    while (at < length && state < behindString) {
      const near = Math.min(at + worthWords, length)
      let seen = betweenCharacters
      while (at < near && state < behindString) {
        state = nextState[state + (piece[at] ?? 0)] ?? notUtf8
        seen |= state
        at += 1
      }
      if (seen === betweenCharacters) at = skipPlain(piece, at)
    }
    this.#inString = state !== behindString
    this.#state = this.#inString ? state : betweenCharacters
    return at
  }

  /**
   * Returns the position after the multi-byte character that begins or continues at `start`, or after its first invalid
   * byte.
   */
  #character(piece: Uint8Array, start: number): number {
    let at = start
    while (at < piece.length && (at === start || isWithinCharacter(this.#state))) {
      this.#state = nextState[this.#state + (piece[at] ?? 0)] ?? notUtf8
      at += 1
    }
    return at
  }
}
