import { backslash, decodedText, endsRun, quote, skipRun } from "./JsonBytes.js"
import { afterCharacters, charactersIn } from "./Utf8Characters.js"

const letterU = 117
const digitsOfUnit = 4

/** Code unit of each two-character escape, keyed by the byte after the backslash. */
const meanings = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)]
  )
)

/** Value of a byte that is not a hex digit. Negative, so that it makes the whole unit negative in any position. */
const noDigit = -1
const hexDigit = new Int8Array(256).fill(noDigit)
for (let value = 0; value < 16; value += 1) {
  const letter = value.toString(16)
  hexDigit[letter.charCodeAt(0)] = value
  hexDigit[letter.toUpperCase().charCodeAt(0)] = value
}

/** Length in bytes of a `\u` escape. */
const lengthOfUnit = 2 + digitsOfUnit

/** Returns the hex digit's value shifted left by `bits`. Negative for any other byte, because shifts keep the sign. */
const digit = (bytes: Uint8Array, at: number, bits: number): number => (hexDigit[bytes[at] ?? 0] ?? noDigit) << bits

/**
 * Returns the code unit of the `\u` escape that begins with the backslash at `at`. Returns a negative number if the
 * backslash begins no valid `\u` escape (RFC 8259, section 7).
 */
const escapedUnit = (bytes: Uint8Array, at: number): number => {
  // An escape at the very end is rejected, because no valid text ends with one. A read past the end would slow down
  // every later read.
  if (at + lengthOfUnit >= bytes.length || bytes[at + 1] !== letterU) return -1
  return digit(bytes, at + 2, 12) | digit(bytes, at + 3, 8) | digit(bytes, at + 4, 4) | digit(bytes, at + 5, 0)
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
const firstHalf = 0xd800
const bitsOfHalf = 0xf800
const isHalf = (code: number): boolean => code >= firstHalf && code < 0xe000

/** The first code point that takes two UTF-16 code units. */
const firstOfTwo = 0x10000

/**
 * Returns the code point of the `\u` escape at `at`, or of the surrogate pair that begins there. Returns a lone
 * surrogate unchanged, and a negative number if no valid `\u` escape begins at `at`.
 */
const escapedCharacter = (bytes: Uint8Array, at: number): number => {
  const first = escapedUnit(bytes, at)
  if (!isHigh(first) || bytes[at + lengthOfUnit] !== backslash) return first
  const second = escapedUnit(bytes, at + lengthOfUnit)
  return isLow(second) ? firstOfTwo + ((first & 0x3ff) << 10) + (second & 0x3ff) : first
}

const lengthOf = (character: number): number => (character < firstOfTwo ? lengthOfUnit : 2 * lengthOfUnit)

/**
 * Returns the length of the low surrogate's escape after the high surrogate's escape at `at`. Returns 0 if the
 * surrogate at `at` is unpaired.
 */
const lengthOfSecond = (bytes: Uint8Array, at: number): number => {
  if (!isHigh(escapedUnit(bytes, at)) || bytes[at + lengthOfUnit] !== backslash) return 0
  return isLow(escapedUnit(bytes, at + lengthOfUnit)) ? lengthOfUnit : 0
}

/**
 * False for NUL and lone surrogates. Only escapes can encode them: UTF-8 cannot encode surrogates, and JSON forbids a
 * raw NUL.
 */
const isCleanCharacter = (code: number): boolean => code !== 0 && !isHalf(code)

/** The position reached in a string, and whether the escapes before it are free of NUL and lone surrogates. */
interface Passed {
  readonly at: number
  readonly isClean: boolean
}

/**
 * States of a run of ordinary bytes and escapes. An even state is also the shift that yields the next state from an
 * entry of `statesAfter`. An odd state means that the run has ended, or that an escape other than a two-character one
 * has begun.
 */
const ordinary = 0
const behindBackslash = 2
const atEnd = 1
const atOtherEscape = 3
const bitsOfState = 3

/**
 * For each byte, the next states, packed as two bits for each even state. A lookup takes the same time for any byte,
 * whereas branches on mixed bytes would be mispredicted.
 */
const statesAfter = new Uint8Array(256)
for (const [byte, ends] of endsRun.entries()) {
  const next = byte === backslash ? behindBackslash : ends === 1 ? atEnd : ordinary
  statesAfter[byte] = next | ((meanings.has(byte) ? ordinary : atOtherEscape) << behindBackslash)
}

/** Number of bytes processed by table lookups before `skipRun` tries to skip whole words. */
const blockLength = 1024

/**
 * Skips ordinary bytes and valid escapes up to `end`, without splitting an escape. Stops earlier at any other byte, or
 * before an invalid escape.
 */
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
 * Skips escapes and ordinary bytes of a string, beginning with an escape at `start`. Stops at the string's end, at an
 * invalid byte or escape, or at an escape at or after `end`. Skips nothing if no escape is at `start`.
 */
export const skipEscaped = (bytes: Uint8Array, start: number, end: number): Passed => {
  let passed: Passed = { at: start, isClean: true }
  while (passed.at < end && bytes[passed.at] === backslash) {
    const { at } = passed
    // In its own function, because the engine optimises a frequently called function better than one long loop.
    const block = skipBlock(bytes, at, Math.min(at + blockLength, bytes.length))
    if (block.at === at) return passed
    passed = { at: skipRun(bytes, block.at), isClean: passed.isClean && block.isClean }
  }
  return passed
}

/**
 * Steps of unescaping, indexed by state (0 or `afterBackslash`) plus byte. A step is the byte to write,
 * `afterBackslash` for a backslash that begins an escape, or `stop`.
 */
const afterBackslash = 0x100
const stop = 0x200
const steps = new Uint16Array(2 * afterBackslash)
for (const [byte, ends] of endsRun.entries()) {
  steps[byte] = byte === backslash ? afterBackslash : ends === 1 ? stop : byte
  steps[afterBackslash + byte] = meanings.get(byte) ?? stop
}

const replacement = 0xfffd

const continuation = (code: number): number => 0x80 | (code & 0x3f)

/**
 * Writes a code point in UTF-8 and returns the position after it. A lone surrogate, which is a fault, becomes the
 * replacement character.
 */
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

/**
 * Progress of unescaping in place. The write position `to` never passes `at`, since no escape is shorter than its
 * character.
 */
interface Moved extends Passed {
  readonly to: number
}

/** Unescapes in place the bytes that `skipBlock` would skip. Takes one step per byte, except in `\u` escapes. */
const unescapeBlock = (bytes: Uint8Array, moved: Moved, end: number): Moved => {
  let { at, isClean, to } = moved
  let state = 0
  for (;;) {
    let step = 0
    // This loop is kept small so that the engine keeps its variables in registers.
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

/**
 * Unescapes in place the bytes that `skipEscaped` would skip. Starts no further block once `most` bytes are written.
 */
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

/**
 * Number of bytes by which a string must exceed its character limit before its characters are counted. Counting is not
 * worthwhile for a smaller excess.
 */
const worthCounting = 64 * 1024

/** Maximum number of characters kept from a string that is far too long. */
const heldOfTooLong = 1024

/**
 * Decodes the unescaped bytes of a string. `sentBytes` is its length as sent, with escapes. If `sentBytes` exceeds
 * `most` by more than `worthCounting`, cuts a string of more than `most` characters to at most `heldOfTooLong`. Pads a
 * cut string with `x` to `most` characters.
 */
export const unescapedText = (
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
  sentBytes = end - start
): string => {
  const isShort = sentBytes <= most + worthCounting || end - start <= most
  // Counts characters only if the byte counts are inconclusive.
  if (isShort || (end - start <= most * mostBytesOfCharacter && charactersIn(bytes, start, end) <= most)) {
    return decodedText(bytes, start, end)
  }
  const held = Math.min(most, heldOfTooLong)
  return decodedText(bytes, start, afterCharacters(bytes, start, end, held)) + "x".repeat(most - held)
}

/**
 * Length in bytes from which a string with escapes is unescaped in place. `JSON.parse` is faster for shorter strings.
 */
export const longString = 64 * 1024

/**
 * A string's text. `at` is the position of its closing quote. If the string is invalid, `at` is the position of the
 * fault, and `text` is empty.
 */
interface LongString extends Passed {
  readonly text: string
}

/**
 * Reads the string whose content begins at `start`. Cuts and pads its text like `unescapedText`. From `firstEscape` on,
 * checks and unescapes the string in one pass and in place. Bytes far beyond `most` are only checked. `JSON.parse`
 * would copy the string as text, and is slow on mixed characters and escapes.
 */
export const readLong = (bytes: Uint8Array, start: number, firstEscape: number, most: number): LongString => {
  const moved = moveEscaped(bytes, firstEscape, most * mostBytesOfCharacter + worthCounting + 1)
  const rest = skipEscaped(bytes, moved.at, bytes.length)
  const text = bytes[rest.at] === quote ? unescapedText(bytes, start, moved.to, most, rest.at - start) : ""
  return { at: rest.at, isClean: moved.isClean && rest.isClean, text }
}
