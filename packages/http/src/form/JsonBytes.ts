/** Bytes that mean something in JSON (RFC 8259). */
export const quote = 34
export const comma = 44
export const openBracket = 91
export const backslash = 92
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125

export const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

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

const endsPlain = withBeyondAscii(quote, backslash)

/** The position of the first byte from `start` on that `ends` holds, or `end`. */
const skipTo = (piece: Uint8Array, start: number, end: number, ends: Uint8Array): number => {
  let at = start
  while (at < end && ends[piece[at] ?? 0] === 0) at += 1
  return at
}

/** The position of the first byte from `start` on that `ends` holds, or the piece's end. */
export const skip = (piece: Uint8Array, start: number, ends: Uint8Array): number =>
  skipTo(piece, start, piece.length, ends)

/** A longer run is worth reading as words of four bytes. */
const worthWords = 64
const bytesOfWord = 4
const inEveryByte = 0x01010101
/** Signed, like what it is compared with: the engine keeps such words as integers. */
const highBits = 0x80808080 | 0

/** Whether the word has a byte below `least`, of at most 128: then a high bit is set. */
const hasBelow = (word: number, least: number): number => ((word - least * inEveryByte) | 0) & ~word

const hasQuoteOrBackslash = (word: number): number =>
  hasBelow(word ^ (quote * inEveryByte), 1) | hasBelow(word ^ (backslash * inEveryByte), 1)

/**
 * `skipWords` returns how many words come before the first that has one of `ends`. Each caller gets its own loop: a
 * shared loop that called a test for each word would not be inlined.
 */
const skipLong =
  (ends: Uint8Array, skipWords: (words: Int32Array) => number) =>
  (piece: Uint8Array, start: number): number => {
    const { byteOffset, length } = piece
    if (length - start < 2 * worthWords) return skipTo(piece, start, length, ends)
    // Words begin at multiples of four of their buffer.
    const first = start + worthWords + bytesOfWord - ((byteOffset + start) % bytesOfWord)
    const short = skipTo(piece, start, first, ends)
    if (short < first) return short
    const words = new Int32Array(piece.buffer, byteOffset + first, Math.floor((length - first) / bytesOfWord))
    return skipTo(piece, first + skipWords(words) * bytesOfWord, length, ends)
  }

/** The position after a run of a string's ordinary bytes: of its end, an escape, or what must be escaped. */
export const skipRun = skipLong(endsRun, (words) => {
  let index = 0
  while (index < words.length) {
    const word = words[index] ?? 0
    if (((hasQuoteOrBackslash(word) | hasBelow(word, firstPrintable)) & highBits) !== 0) return index
    index += 1
  }
  return index
})

/** The position after a run of a string's ordinary bytes, each of which is one character. */
export const skipPlain = skipLong(endsPlain, (words) => {
  let index = 0
  while (index < words.length) {
    const word = words[index] ?? 0
    if (((word | hasQuoteOrBackslash(word)) & highBits) !== 0) return index
    index += 1
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
