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

/** From here on a byte is part of a character of several bytes. */
export const firstBeyondAscii = 0x80

/** A table that holds the given bytes and all beyond ASCII. */
export const withBeyondAscii = (...codes: ReadonlyArray<number>): Uint8Array => tableOf(codes).fill(1, firstBeyondAscii)

/** The bytes that end a run of ordinary ones in a string, each of which is one character. */
export const endsPlain = withBeyondAscii(quote, backslash)

/** The position of the first byte from `start` on that `ends` holds, or the piece's end. */
export const skip = (piece: Uint8Array, start: number, ends: Uint8Array): number => {
  const { length } = piece
  let at = start
  while (at < length && ends[piece[at] ?? 0] === 0) at += 1
  return at
}

/** `true`, `false` and `null`, by their first byte. */
export const literals = new Map<number | undefined, { readonly word: Uint8Array; readonly value: boolean | null }>(
  ([true, false, null] as const).map((value) => {
    const word = new TextEncoder().encode(String(value))
    return [word[0], { word, value }]
  })
)
