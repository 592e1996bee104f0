/** Bytes that mean something in JSON (RFC 8259). */
export const quote = 34
export const comma = 44
export const openBracket = 91
export const backslash = 92
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125

export const isSpace = (code: number): boolean =>
  code <= 32 && (code === 32 || code === 10 || code === 13 || code === 9)

/** A table that holds the given bytes: 1 at each of them. */
export const tableOf = (codes: ReadonlyArray<number>): Uint8Array => {
  const table = new Uint8Array(256)
  for (const code of codes) table[code] = 1
  return table
}

const firstPrintable = 32

const endsRun = tableOf([quote, backslash, ...Array.from({ length: firstPrintable }, (_, code) => code)])

/** From here on a byte is part of a character of several bytes. */
export const firstBeyondAscii = 0x80

/** A table that holds the given bytes and all beyond ASCII. */
export const withBeyondAscii = (...codes: ReadonlyArray<number>): Uint8Array => tableOf(codes).fill(1, firstBeyondAscii)

/** The bytes that end a run of ordinary ones, each of which is one character. */
export const endsPlain = withBeyondAscii(quote, backslash)

/** The position of the first byte from `start` on that `ends` holds, or `end`. */
export const skipTo = (piece: Uint8Array, start: number, end: number, ends: Uint8Array): number => {
  let at = start
  while (at < end && ends[piece[at] ?? 0] === 0) at += 1
  return at
}

/** The position of the first byte from `start` on that `ends` holds, or the piece's end. */
export const skip = (piece: Uint8Array, start: number, ends: Uint8Array): number =>
  skipTo(piece, start, piece.length, ends)

/** A longer run is worth reading as words of four bytes, of which each step of a loop reads four. */
export const worthWords = 64
const bytesOfWord = 4
const wordsAtOnce = 4
const inEveryByte = 0x01010101
const quotes = quote * inEveryByte
const backslashes = backslash * inEveryByte
const spaces = firstPrintable * inEveryByte
/** Signed, like what it is compared with: the engine keeps such words as integers. */
const highBits = 0x80808080 | 0

/** A high bit is set if the word has a zero byte; if none is set, it has none. */
const hasZero = (word: number): number => ((word - inEveryByte) | 0) & ~word

const hasQuoteOrBackslash = (word: number): number => hasZero(word ^ quotes) | hasZero(word ^ backslashes)

/** A high bit is set if the word has a byte that ends a run; if none is set, it has none. */
const endsRunIn = (word: number): number => hasQuoteOrBackslash(word) | (((word - spaces) | 0) & ~word)

const endsPlainIn = (word: number): number => word | hasQuoteOrBackslash(word)

/**
 * `skipWords` returns the position of the first words read at once that have one of `ends`, or of the rest. Each caller gets
 * its own loop: a shared loop that called a test for each word would not be inlined.
 */
const skipLong =
  (ends: Uint8Array, skipWords: (words: Int32Array) => number) =>
  (piece: Uint8Array, start: number): number => {
    const { length } = piece
    if (length - start < 2 * worthWords) return skipTo(piece, start, length, ends)
    const near = start + worthWords
    const short = skipTo(piece, start, near, ends)
    if (short < near) return short
    // Words begin at multiples of four of their buffer.
    const first = near + bytesOfWord - ((piece.byteOffset + near) % bytesOfWord)
    const words = new Int32Array(piece.buffer, piece.byteOffset + first, Math.floor((length - first) / bytesOfWord))
    const before = skipTo(piece, near, first, ends)
    return before < first ? before : skipTo(piece, first + skipWords(words) * bytesOfWord, length, ends)
  }

/** The position after a run of a string's ordinary bytes: of its end, an escape, or what must be escaped. */
export const skipRun = skipLong(endsRun, (words) => {
  const last = words.length - wordsAtOnce
  let index = 0
  while (index <= last) {
    const early = endsRunIn(words[index] ?? 0) | endsRunIn(words[index + 1] ?? 0)
    const late = endsRunIn(words[index + 2] ?? 0) | endsRunIn(words[index + 3] ?? 0)
    if (((early | late) & highBits) !== 0) return index
    index += wordsAtOnce
  }
  return index
})

/** The position after a run of a string's ordinary bytes, each of which is one character. */
export const skipPlain = skipLong(endsPlain, (words) => {
  const last = words.length - wordsAtOnce
  let index = 0
  while (index <= last) {
    const early = endsPlainIn(words[index] ?? 0) | endsPlainIn(words[index + 1] ?? 0)
    const late = endsPlainIn(words[index + 2] ?? 0) | endsPlainIn(words[index + 3] ?? 0)
    if (((early | late) & highBits) !== 0) return index
    index += wordsAtOnce
  }
  return index
})

/** `true`, `false` and `null`, by their first byte. */
export const literals = new Map<number | undefined, { readonly word: Uint8Array; readonly value: boolean | null }>(
  ([true, false, null] as const).map((value) => {
    const word = new TextEncoder().encode(String(value))
    return [word[0], { word, value }]
  })
)

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export const decodedText = (bytes: Uint8Array, start: number, end: number): string =>
  decoder.decode(bytes.subarray(start, end))
