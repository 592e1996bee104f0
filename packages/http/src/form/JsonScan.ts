/** How deep objects and arrays may be nested. */
export const maxDepth = 32

/**
 * How many fields and items a body may have in total. The largest body of any route has about four hundred. Without
 * this bound, one body of unknown fields keeps the whole server busy reporting each of them.
 */
export const maxParts = 10_000

/** Which bound a text exceeds. */
export type Excess = "too_deep" | "too_many_parts"

const quote = 34
const comma = 44
const backslash = 92
const openBracket = 91
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

const isStructure = new Uint8Array(128)
for (const code of [quote, comma, openBracket, closeBracket, openBrace, closeBrace]) isStructure[code] = 1

/** The next character that opens, ends or separates something, or else the piece's end. */
const skipOrdinary = (piece: string, start: number): number => {
  let at = start
  // Characters beyond the table are undefined in it, which is no structure either.
  while (at < piece.length && isStructure[piece.charCodeAt(at)] !== 1) at += 1
  return at
}

/** How many characters of a string to read one by one before searching for its end, which pays in long ones only. */
const nearBy = 64

const hasOddBackslashes = (piece: string, start: number, end: number): boolean => {
  let from = end
  while (from > start && piece.charCodeAt(from - 1) === backslash) from -= 1
  return (end - from) % 2 === 1
}

/**
 * Bounds the depth and the parts of a JSON text piece by piece, in one pass and constant memory, before any value is
 * built from it. `JSON.parse` of a text within the bounds makes at most `maxParts` values. It does not validate JSON:
 * any prefix of a text that a parser would accept is counted as the parser reads it.
 */
export class JsonScan {
  #depth = 0
  #parts = 0
  #inString = false
  /** In a string: whether the next piece begins with an escaped character. */
  #escapes = false
  /** Whether the container opened last has no part yet. */
  #isFresh = false

  /** Scans the next piece. Returns the bound that it exceeds, which ends the scan. */
  add(piece: string): Excess | undefined {
    // A piece may decode to no character; a pending escape then stays pending.
    if (piece === "") return undefined
    let at = this.#inString ? this.#endOfString(piece, 0) : 0
    while (at < piece.length) {
      if (!this.#isFresh) at = skipOrdinary(piece, at)
      if (at === piece.length) return undefined
      const code = piece.charCodeAt(at)
      at += 1
      if (isSpace(code)) continue
      if (this.#isFresh && code !== closeBracket && code !== closeBrace) this.#parts += 1
      this.#isFresh = false
      this.#take(code)
      if (code === quote) at = this.#endOfString(piece, at)
      if (this.#depth > maxDepth) return "too_deep"
      if (this.#parts > maxParts) return "too_many_parts"
    }
    return undefined
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

  /** The position after the string that is open at `start`, or the piece's end if the string continues. */
  #endOfString(piece: string, start: number): number {
    let at = start
    if (this.#escapes && at < piece.length) at += 1
    while (at < piece.length) {
      const near = Math.min(at + nearBy, piece.length)
      while (at < near) {
        const code = piece.charCodeAt(at)
        if (code === quote) return this.#leaveString(at)
        at += code === backslash ? 2 : 1
      }
      if (at >= piece.length) break
      const end = piece.indexOf('"', at)
      const escapes = hasOddBackslashes(piece, at, end < 0 ? piece.length : end)
      if (end >= 0 && !escapes) return this.#leaveString(end)
      at = (end < 0 ? piece.length : end) + (escapes ? 1 : 0)
    }
    this.#escapes = at > piece.length
    return piece.length
  }

  #leaveString(end: number): number {
    this.#inString = false
    this.#escapes = false
    return end + 1
  }
}
