import { backslash, decodedText, endsRun, quote, skipRun } from "./JsonBytes.js"
import { afterCharacters, charactersIn } from "./Utf8Characters.js"

const letterU = 117
const digitsOfUnit = 4

/** What the letters that may follow a backslash stand for, but for `u`. */
const meanings = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)]
  )
)

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

/** Length in bytes of an escaped code unit. */
const lengthOfUnit = 2 + digitsOfUnit

/** Returns the hex digit's part of a unit, shifted by `bits`. Negative for another byte: shifts keep the sign. */
const digit = (bytes: Uint8Array, at: number, bits: number): number => (hexDigit[bytes[at] ?? 0] ?? noDigit) << bits

/** The code unit whose escape begins with the backslash at `at`. Negative if it is no such escape (RFC 8259, section 7). */
const escapedUnit = (bytes: Uint8Array, at: number): number => {
  // Reading past the end would slow down every read. No text ends with an escape.
  if (at + lengthOfUnit >= bytes.length || bytes[at + 1] !== letterU) return -1
  return digit(bytes, at + 2, 12) | digit(bytes, at + 3, 8) | digit(bytes, at + 4, 4) | digit(bytes, at + 5, 0)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
const firstHalf = 0xd800
const bitsOfHalf = 0xf800
const isHalf = (code: number): boolean => code >= firstHalf && code < 0xe000

/** The first code of a character that takes two units. */
const firstOfTwo = 0x10000

/** The character whose escape begins at `at`, of one unit or two. Half of one, if it stands alone. Negative if it is no escape. */
const escapedCharacter = (bytes: Uint8Array, at: number): number => {
  const first = escapedUnit(bytes, at)
  if (!isHigh(first) || bytes[at + lengthOfUnit] !== backslash) return first
  const second = escapedUnit(bytes, at + lengthOfUnit)
  return isLow(second) ? firstOfTwo + ((first & 0x3ff) << 10) + (second & 0x3ff) : first
}

const lengthOf = (character: number): number => (character < firstOfTwo ? lengthOfUnit : 2 * lengthOfUnit)

/** The length of the escape of a second half behind that of the first half at `at`. 0 if a half stands alone. */
const lengthOfSecond = (bytes: Uint8Array, at: number): number => {
  if (!isHigh(escapedUnit(bytes, at)) || bytes[at + lengthOfUnit] !== backslash) return 0
  return isLow(escapedUnit(bytes, at + lengthOfUnit)) ? lengthOfUnit : 0
}

/** Neither NUL nor half of a character. UTF-8 has no halves, and JSON has NUL only as an escape, so only escapes are unclean. */
const isCleanCharacter = (code: number): boolean => code !== 0 && !isHalf(code)

/** How far a string is read, and whether its escapes are clean so far. */
interface Passed {
  readonly at: number
  readonly isClean: boolean
}

/**
 * States of a run of ordinary bytes and escapes. Each is the shift of its two bits in `statesAfter`; odd states are
 * final.
 */
const ordinary = 0
const behindBackslash = 2
const atEnd = 1
const atOtherEscape = 3
const bitsOfState = 3

/**
 * For each byte, the state after it by the state before it. One step for any byte takes the same time for any mixture of them,
 * while the branches of a loop would be mispredicted.
 */
const statesAfter = new Uint8Array(256)
for (const [byte, ends] of endsRun.entries()) {
  const next = byte === backslash ? behindBackslash : ends === 1 ? atEnd : ordinary
  statesAfter[byte] = next | ((meanings.has(byte) ? ordinary : atOtherEscape) << behindBackslash)
}

/** How many bytes are read by a table before words are tried again. */
const blockLength = 1024

/** Passes ordinary bytes and escapes up to about `end`, or to what is neither. Does not end within an escape. */
const skipBlock = (bytes: Uint8Array, start: number, end: number): Passed => {
  let at = start
  let state = ordinary
  let isClean = true
  while (at < end) {
    state = ((statesAfter[bytes[at] ?? 0] ?? atEnd) >>> state) & bitsOfState
    if ((state & atEnd) !== 0) {
      if (state === atEnd) break
      const unit = escapedUnit(bytes, at - 1)
      if (unit < 0) break
      state = ordinary
      at += digitsOfUnit
      if (unit === 0) isClean = false
      if ((unit & bitsOfHalf) === firstHalf) {
        const second = lengthOfSecond(bytes, at - lengthOfUnit + 1)
        if (second === 0) isClean = false
        at += second
      }
    }
    at += 1
  }
  return { at: (state & behindBackslash) !== 0 ? at - 1 : at, isClean }
}

/**
 * Passes a string's escapes and ordinary bytes: to its end, to what must be escaped or is no escape, or to an escape at `end` or
 * later. `start` is where its first escape is, if it has any.
 */
export const skipEscaped = (bytes: Uint8Array, start: number, end: number): Passed => {
  let passed: Passed = { at: start, isClean: true }
  while (passed.at < end && bytes[passed.at] === backslash) {
    const { at } = passed
    // A separate function: the engine optimises a function that is called often better than a single long loop.
    const block = skipBlock(bytes, at, Math.min(at + blockLength, bytes.length))
    if (block.at === at) return passed
    passed = { at: skipRun(bytes, block.at), isClean: passed.isClean && block.isClean }
  }
  return passed
}

/** A step of unescaping, at the sum of the state and the byte: what to write and the state after it, or `stop` or more. */
const afterBackslash = 0x100
const stop = 0x200
const steps = new Uint16Array(2 * afterBackslash)
for (const [byte, ends] of endsRun.entries()) {
  steps[byte] = byte === backslash ? afterBackslash : ends === 1 ? stop : byte
  steps[afterBackslash + byte] = meanings.get(byte) ?? stop
}

const replacement = 0xfffd

const continuation = (code: number): number => 0x80 | (code & 0x3f)

/** Writes a character in UTF-8 and returns the position after it. UTF-8 cannot encode half of one, which is a fault. */
const write = (bytes: Uint8Array, start: number, character: number): number => {
  const code = isHalf(character) ? replacement : character
  let at = start
  if (code < 0x80) bytes[at] = code
  else {
    if (code < 0x800) bytes[at] = 0xc0 | (code >> 6)
    else {
      if (code < firstOfTwo) bytes[at] = 0xe0 | (code >> 12)
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

/** Progress of unescaping in place. `to` is where it writes, which never passes `at`: no escape is shorter than its character. */
interface Moved extends Passed {
  readonly to: number
}

/** Like `skipBlock`, unescaping. Every byte takes the same step, except in escapes of code units. */
const unescapeBlock = (bytes: Uint8Array, moved: Moved, end: number): Moved => {
  let { at, isClean, to } = moved
  let state = 0
  for (;;) {
    let step = 0
    // The engine keeps what a small loop needs in registers.
    while (at < end) {
      step = steps[state + (bytes[at] ?? 0)] ?? stop
      if (step >= stop) break
      bytes[to] = step
      state = step & afterBackslash
      to += 1 - (state >> 8)
      at += 1
    }
    if (step < stop || state !== afterBackslash) return { at: at - (state >> 8), isClean, to }
    const character = escapedCharacter(bytes, at - 1)
    if (character < 0) return { at: at - 1, isClean, to }
    isClean &&= isCleanCharacter(character)
    to = write(bytes, to, character)
    at += lengthOf(character) - 1
    state = 0
  }
}

/** Like `skipEscaped`, unescaping in place, until about `most` bytes are written. */
const moveEscaped = (bytes: Uint8Array, start: number, most: number): Moved => {
  let moved: Moved = { at: start, isClean: true, to: start }
  while (moved.to - start < most && bytes[moved.at] === backslash) {
    const block = unescapeBlock(bytes, moved, Math.min(moved.at + blockLength, bytes.length))
    if (block.at === moved.at) return moved
    const run = skipRun(bytes, block.at)
    bytes.copyWithin(block.to, block.at, run)
    moved = { at: run, isClean: block.isClean, to: block.to + run - block.at }
  }
  return moved
}

const mostBytesOfCharacter = 4

/** Number of bytes. If a string exceeds the limit by fewer, counting its characters is not worth the time. */
const worthCounting = 64 * 1024

/** Number of characters kept of a string that is far too long. */
const heldOfTooLong = 1024

/**
 * The text of a string that was sent in `sentBytes`, from its content without escapes. If it has more than `most` characters, and far
 * more bytes were sent: the first of them, and `x` for the rest of `most`.
 */
export const unescapedText = (
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
  sentBytes = end - start
): string => {
  const isShort = sentBytes <= most + worthCounting || end - start <= most
  // Counts only if the number of bytes does not decide.
  if (isShort || (end - start <= most * mostBytesOfCharacter && charactersIn(bytes, start, end) <= most)) {
    return decodedText(bytes, start, end)
  }
  const held = Math.min(most, heldOfTooLong)
  return decodedText(bytes, start, afterCharacters(bytes, start, end, held)) + "x".repeat(most - held)
}

/** For shorter strings with escapes, `JSON.parse` is faster. */
export const longString = 64 * 1024

/** A string up to `at`, where its closing quote is, if it is one. */
interface LongString extends Passed {
  readonly text: string
}

/**
 * Reads the string whose content begins at `start`, like `unescapedText`. Its first escape is at `firstEscape`; from there on it is unescaped in
 * place and checked in one pass. `JSON.parse` would need a copy of it as text, and mispredicts branches where characters and
 * escapes have no order.
 */
export const readLong = (bytes: Uint8Array, start: number, firstEscape: number, most: number): LongString => {
  const moved = moveEscaped(bytes, firstEscape, most * mostBytesOfCharacter + worthCounting + 1)
  const rest = skipEscaped(bytes, moved.at, bytes.length)
  const text = bytes[rest.at] === quote ? unescapedText(bytes, start, moved.to, most, rest.at - start) : ""
  return { at: rest.at, isClean: moved.isClean && rest.isClean, text }
}
