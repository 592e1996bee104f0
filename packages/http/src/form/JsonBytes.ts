/** ASCII codes of characters with a special meaning in JSON (RFC 8259). */
export const quote = 34
export const comma = 44
export const openBracket = 91
export const backslash = 92
export const closeBracket = 93
export const openBrace = 123
export const closeBrace = 125

export const tableOf = (codes: ReadonlyArray<number>): Uint8Array => {
  const table = new Uint8Array(256)
  for (const code of codes) table[code] = 1
  return table
}

const firstPrintable = 32

/** Bytes that end a run of ordinary bytes in a string: quote, backslash and control characters. */
export const endsRun = tableOf([quote, backslash, ...Array.from({ length: firstPrintable }, (_, code) => code)])

export const firstBeyondAscii = 0x80

export const withBeyondAscii = (...codes: ReadonlyArray<number>): Uint8Array => tableOf(codes).fill(1, firstBeyondAscii)

const endsPlain = withBeyondAscii(quote, backslash)

/** Bytes that end a run outside strings. Bytes beyond ASCII are included so that they are checked as UTF-8. */
const endsValues = withBeyondAscii(quote, comma, openBracket, closeBracket, openBrace, closeBrace)

const zero = 48
const nine = 57
const endsDigits = new Uint8Array(256).fill(1).fill(0, zero, nine + 1)

const endsSpace = new Uint8Array(256).fill(1)
for (const code of [9, 10, 13, 32]) endsSpace[code] = 0

const skipTo = (piece: Uint8Array, start: number, end: number, ends: Uint8Array): number => {
  let at = start
  while (at < end && ends[piece[at] ?? 0] === 0) at += 1
  return at
}

/** Returns the position of the first byte at or after `start` that is not white space, or the piece's length. */
export const skipSpace = (piece: Uint8Array, start: number): number => skipTo(piece, start, piece.length, endsSpace)

/**
 * Number of bytes at the start of a run that are always read one by one. Only later bytes may be read in four-byte
 * words, four words per loop step.
 */
export const worthWords = 64
const bytesOfWord = 4
const wordsAtOnce = 4
const inEveryByte = 0x01010101
const quotes = quote * inEveryByte
const backslashes = backslash * inEveryByte
const commas = comma * inEveryByte
const zeros = zero * inEveryByte
const spaces = firstPrintable * inEveryByte
/**
 * The high bit of each byte. Signed, like the values it is combined with, so that the engine keeps the words as
 * integers.
 */
const highBits = 0x80808080 | 0

/** Sets a high bit of the result if and only if the word has a zero byte. */
const hasZero = (word: number): number => ((word - inEveryByte) | 0) & ~word

const hasQuoteOrBackslash = (word: number): number => hasZero(word ^ quotes) | hasZero(word ^ backslashes)

/** Sets a high bit of the result if and only if the word has a byte that ends a run. */
const endsRunIn = (word: number): number => hasQuoteOrBackslash(word) | (((word - spaces) | 0) & ~word)

const endsPlainIn = (word: number): number => word | hasQuoteOrBackslash(word)

/**
 * Sets a high bit of the result if the word has a byte in `endsValues`. Brackets and braces have a bit that digits and
 * white space lack. Letters have that bit too, so the result may also have a high bit for a letter.
 */
const endsValuesIn = (word: number): number => word | (word << 1) | hasZero(word ^ quotes) | hasZero(word ^ commas)

const highHalves = 0xf0f0f0f0 | 0
const beyondNine = (16 - 10) * inEveryByte

/** Sets a bit in the high half of some byte if and only if the word has a non-digit byte. */
const endsDigitsIn = (word: number): number => (word ^ zeros) | ((word ^ zeros) + beyondNine)

/**
 * Builds a function that returns the position of the first byte in `ends` at or after `start`, or the piece's length.
 * `skipWords` skips blocks of `wordsAtOnce` words without such a byte and returns the index after them. Each caller
 * passes its own loop, because a per-word test called from a shared loop would not be inlined.
 */
const skipLong =
  (ends: Uint8Array, skipWords: (words: Int32Array) => number) =>
  (piece: Uint8Array, start: number): number => {
    const { length } = piece
    if (length - start < 2 * worthWords) return skipTo(piece, start, length, ends)
    const near = start + worthWords
    const short = skipTo(piece, start, near, ends)
    if (short < near) return short
    // Words must start at multiples of four in their buffer.
    const first = near + bytesOfWord - ((piece.byteOffset + near) % bytesOfWord)
    const words = new Int32Array(piece.buffer, piece.byteOffset + first, Math.floor((length - first) / bytesOfWord))
    const before = skipTo(piece, near, first, ends)
    return before < first ? before : skipTo(piece, first + skipWords(words) * bytesOfWord, length, ends)
  }

/**
 * Returns the position after a run of ordinary bytes in a string. The run ends before a closing quote, an escape or a
 * control character, or at the end of the piece.
 */
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

/** Returns the position after a run of ASCII characters other than quotes and backslashes in a string. */
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

/** Returns the position after a run, outside strings, of bytes that are not in `endsValues`. */
export const skipValues = skipLong(endsValues, (words) => {
  const last = words.length - wordsAtOnce
  let index = 0
  while (index <= last) {
    const early = endsValuesIn(words[index] ?? 0) | endsValuesIn(words[index + 1] ?? 0)
    const late = endsValuesIn(words[index + 2] ?? 0) | endsValuesIn(words[index + 3] ?? 0)
    if (((early | late) & highBits) !== 0) return index
    index += wordsAtOnce
  }
  return index
})

export const skipDigits = skipLong(endsDigits, (words) => {
  const last = words.length - wordsAtOnce
  let index = 0
  while (index <= last) {
    const early = endsDigitsIn(words[index] ?? 0) | endsDigitsIn(words[index + 1] ?? 0)
    const late = endsDigitsIn(words[index + 2] ?? 0) | endsDigitsIn(words[index + 3] ?? 0)
    if (((early | late) & highHalves) !== 0) return index
    index += wordsAtOnce
  }
  return index
})

export const literals = new Map<number | undefined, { readonly word: Uint8Array; readonly value: boolean | null }>(
  ([true, false, null] as const).map((value) => {
    const word = new TextEncoder().encode(String(value))
    return [word[0], { word, value }]
  })
)

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export const decodedText = (bytes: Uint8Array, start: number, end: number): string =>
  decoder.decode(bytes.subarray(start, end))
