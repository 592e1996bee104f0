import { backslash, decodedText, endsRun, skipPlain, skipRun, tableOf } from "./JsonBytes.js"

const letterU = 117
const digitsOfUnit = 4

/** Characters that may follow a backslash, except `u`. */
const isLetter = tableOf(['"', "\\", "/", "b", "f", "n", "r", "t"].map((letter) => letter.charCodeAt(0)))

/**
 * Values of hex digits. Any other byte has a value that makes the whole unit negative, in any of the four positions.
 */
const noDigit = -1
const hexDigit = new Int8Array(256).fill(noDigit)
for (let value = 0; value < 16; value += 1) {
  const letter = value.toString(16)
  hexDigit[letter.charCodeAt(0)] = value
  hexDigit[letter.toUpperCase().charCodeAt(0)] = value
}

export const isUnicode = (bytes: Uint8Array, at: number): boolean => bytes[at + 1] === letterU

/** Length in bytes of an escaped code unit. */
export const lengthOfUnit = 2 + digitsOfUnit

/** Returns a digit's part of a unit. Negative for any other byte, since shifts keep the sign. */
const digit = (bytes: Uint8Array, at: number, bits: number): number => (hexDigit[bytes[at] ?? 0] ?? noDigit) << bits

/**
 * Returns the value of the escape at `at`: a code unit for `\u`, otherwise the letter. Negative if it is not a JSON
 * escape (RFC 8259, section 7).
 */
export const escapedUnit = (bytes: Uint8Array, at: number): number => {
  const letter = bytes[at + 1] ?? 0
  if (letter !== letterU) return isLetter[letter] === 1 ? letter : -1
  // Reading past the end would slow down every read. No text ends with an escape.
  if (at + 2 + digitsOfUnit > bytes.length) return -1
  return digit(bytes, at + 2, 12) | digit(bytes, at + 3, 8) | digit(bytes, at + 4, 4) | digit(bytes, at + 5, 0)
}

/** Ends after the last of adjacent escapes, never between the halves of a character. */
export const endOfEscapes = 1

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
const isHalf = (unit: number): boolean => (unit & 0xf800) === 0xd800

/**
 * States of a run of ordinary bytes and escapes. Each is the shift of its two bits in `statesAfter`; odd states are
 * final.
 */
const ordinary = 0
const behindBackslash = 2
const atEnd = 1
const atOtherEscape = 3
const bitsOfState = 3

/** For each byte, the next state by the current one. Every byte takes the same single step, as in `nextState`. */
const statesAfter = Uint8Array.from(endsRun, (ends, byte) => {
  const next = byte === backslash ? behindBackslash : ends === 1 ? atEnd : ordinary
  return next | ((isLetter[byte] === 1 ? ordinary : atOtherEscape) << behindBackslash)
})

/** 1 for each byte that begins a character or an escape. Shifted by the current state. */
const beginsAfter = Uint8Array.from(endsRun, (_, byte) => ((byte & 0xc0) === 0x80 ? 0 : 1))

/** Number of bytes read with the table before trying words again. */
const blockLength = 1024

/** `skipEscaped` up to roughly `end`, or to a backslash just before it. */
const skipBlock = (bytes: Uint8Array, start: number, end: number, isClean: boolean): number => {
  let at = start
  let state = ordinary
  while (at < end) {
    state = ((statesAfter[bytes[at] ?? 0] ?? atEnd) >>> state) & bitsOfState
    if ((state & atEnd) !== 0) {
      if (state === atEnd) return at
      const unit = escapedUnit(bytes, at - 1)
      if (unit < 0 || (isClean && (unit === 0 || isHalf(unit)))) return at - 1
      at += digitsOfUnit
      state = ordinary
    }
    at += 1
  }
  return state === behindBackslash ? at - 1 : at
}

/**
 * Returns the position after a string's ordinary bytes and escapes: its end, a byte that must be escaped, or an invalid
 * escape. While the string is clean, also stops at an escape that may make it unclean.
 */
export const skipEscaped = (bytes: Uint8Array, start: number, isClean: boolean): number => {
  let at = start
  for (;;) {
    const run = skipRun(bytes, at)
    // A separate function: the engine optimises one called often better than a single long loop.
    const end = skipBlock(bytes, run, Math.min(run + blockLength, bytes.length), isClean)
    if (end === at) return at
    at = end
  }
}

/** A character may be two escapes, one for each half. */
const mostBytesOfCharacter = 2 * lengthOfUnit

/** A position in a string's content, and the number of characters still to skip. */
interface Passed {
  readonly at: number
  readonly left: number
}

const isEscapedLow = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === backslash && isUnicode(bytes, at) && isLow(escapedUnit(bytes, at))

/** Skips characters up to roughly `end`. `left` becomes negative if there is one character too many. */
const passBlock = (bytes: Uint8Array, { at: start, left: most }: Passed, end: number): Passed => {
  let at = start
  let left = most
  let state = ordinary
  while (at < end || state !== ordinary) {
    const byte = bytes[at] ?? 0
    left -= (beginsAfter[byte] ?? 0) >>> state
    if (left < 0 && state === ordinary && !isEscapedLow(bytes, at)) break
    state = ((statesAfter[byte] ?? atEnd) >>> state) & bitsOfState
    if (state === atOtherEscape) {
      if (isEscapedLow(bytes, at - 1)) left += 1
      at += digitsOfUnit
      state = ordinary
    }
    at += 1
  }
  return { at, left }
}

/**
 * Returns the position after the first `most` characters of a string's content, which runs from `start` to the quote at
 * `end`. Half of an escaped surrogate pair may follow.
 */
export const afterCharacters = (bytes: Uint8Array, start: number, end: number, most: number): number => {
  // A character takes at least one byte.
  if (end - start <= most) return end
  const within = bytes.subarray(0, Math.min(end, start + (most + 1) * mostBytesOfCharacter))
  let passed: Passed = { at: start, left: most }
  while (passed.at < within.length) {
    const { at, left } = passed
    const plain = skipPlain(within, at)
    if (plain - at > left) return at + left
    passed = { at: plain, left: left - (plain - at) }
    if (plain < within.length) passed = passBlock(bytes, passed, Math.min(plain + blockLength, within.length))
    if (passed.left < 0) return passed.at
  }
  return passed.at
}

/** If the bytes exceed the limit by less than this, counting characters is not worth the time. */
const worthCounting = 64 * 1024

/**
 * Returns true if the content from `start` to the quote at `end` has more than `most` characters, and far more bytes.
 * Also false for many escaped characters, which `unescapedText` counts.
 */
export const isFarBeyond = (bytes: Uint8Array, start: number, end: number, most: number, isEscaped: boolean): boolean =>
  end - start > most + worthCounting &&
  (!isEscaped || most < worthCounting) &&
  afterCharacters(bytes, start, end, most) < end

/** Number of characters kept of a string that is far too long. */
const heldOfTooLong = 1024

/** Returns the first characters of a string that is far too long, padded with `x` to `most`. */
export const tooLongText = (bytes: Uint8Array, start: number, end: number, most: number): string => {
  const held = Math.min(most, heldOfTooLong)
  return (
    JSON.parse(`"${decodedText(bytes, start, afterCharacters(bytes, start, end, held))}"`) + "x".repeat(most - held)
  )
}

/**
 * Returns true if an escape is neither NUL nor a lone surrogate, given the escape directly before it. UTF-8 cannot
 * encode a lone surrogate, and JSON allows NUL only as an escape, so only escapes can make a string unclean.
 */
export const isCleanAfter = (unit: number, last: number): boolean => unit !== 0 && isHigh(last) === isLow(unit)

const rowBits = 7

/** Value of a byte by the current state: the byte itself, or its meaning after a backslash. */
const meanings = Uint8Array.from({ length: (behindBackslash << rowBits) + 256 }, (_, index) => index)
for (const [letter, meaning] of Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" })) {
  meanings[(behindBackslash << rowBits) + letter.charCodeAt(0)] = meaning.charCodeAt(0)
}

const replacement = 0xfffd

/** Returns the character of two escaped halves. A lone half, which is a fault, is replaced: UTF-8 cannot encode it. */
const characterOf = (first: number, second: number): number => {
  if (isHigh(first) && isLow(second)) return 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
  return isHalf(first) ? replacement : first
}

const continuation = (code: number): number => 0x80 | (code & 0x3f)

/** Writes a character in UTF-8 and returns the position after it. */
const write = (bytes: Uint8Array, start: number, code: number): number => {
  let at = start
  if (code < 0x80) bytes[at] = code
  else {
    if (code < 0x800) bytes[at] = 0xc0 | (code >> 6)
    else {
      if (code < 0x10000) bytes[at] = 0xe0 | (code >> 12)
      else {
        bytes[at++] = 0xf0 | (code >> 18)
        bytes[at] = continuation(code >> 12)
      }
      bytes[++at] = continuation(code >> 6)
    }
    bytes[++at] = continuation(code)
  }
  return at + 1
}

/**
 * Progress of unescaping in place: the read position (`at`), the write position (`to`) and the characters so far. `to`
 * never passes `at`, since no escape is shorter than its character.
 */
interface Moved {
  readonly at: number
  readonly to: number
  readonly characters: number
}

/** Unescapes up to roughly `end`. Every byte takes the same step, except in escaped code units. */
const unescapeBlock = (content: Uint8Array, moved: Moved, end: number): Moved => {
  let { at, characters, to } = moved
  let state = ordinary
  while (at < end || state !== ordinary) {
    const byte = content[at] ?? 0
    characters += (beginsAfter[byte] ?? 0) >>> state
    const next = ((statesAfter[byte] ?? ordinary) >>> state) & bitsOfState
    if (next === atOtherEscape) {
      const unit = escapedUnit(content, at - 1)
      at += 1 + digitsOfUnit
      const code = characterOf(unit, isHigh(unit) ? escapedUnit(content, at) : 0)
      if (code >= 0x10000) at += lengthOfUnit
      to = write(content, to, code)
      state = ordinary
    } else {
      content[to] = meanings[(state << rowBits) + byte] ?? 0
      to += 1 - (next >> 1)
      state = next
      at += 1
    }
  }
  return { at, to, characters }
}

const charactersIn = (text: Uint8Array, start: number, end: number): number => {
  let count = 0
  for (let at = start; at < end; at += 1) count += beginsAfter[text[at] ?? 0] ?? 0
  return count
}

/** Unescapes a string's content in place. Counts its characters if `isCounted`. */
const unescaped = (content: Uint8Array, isCounted: boolean): Moved => {
  const { length } = content
  let moved: Moved = { at: 0, to: 0, characters: 0 }
  while (moved.at < length) {
    const { at, characters, to } = moved
    const run = skipRun(content, at)
    const passed = isCounted ? charactersIn(content, at, run) : 0
    if (to < at) content.copyWithin(to, at, run)
    moved = { at: run, to: to + run - at, characters: characters + passed }
    if (run < length) moved = unescapeBlock(content, moved, Math.min(run + blockLength, length))
  }
  return moved
}

/** For shorter strings, `JSON.parse` is faster. */
const longString = 64 * 1024

/**
 * Returns the text of a valid string between the quotes at `start` and `end`, or `tooLongText` if it has many more than
 * `most` characters. A long string is unescaped in `bytes`: `JSON.parse` would need a copy of it as text, and
 * mispredicts branches on a random mix of characters and escapes.
 */
export const unescapedText = (bytes: Uint8Array, start: number, end: number, most: number): string => {
  if (end - start < longString) return JSON.parse(decodedText(bytes, start, end + 1))
  const content = bytes.subarray(start + 1, end)
  const tooLong = content.length > most + worthCounting ? tooLongText(bytes, start + 1, end, most) : undefined
  const { characters, to } = unescaped(content, tooLong !== undefined)
  return tooLong !== undefined && characters > most ? tooLong : decodedText(content, 0, to)
}
