import { backslash, decodedText, endsRun, skipPlain, skipRun, tableOf } from "./JsonBytes.js"

const letterU = 117
const digitsOfUnit = 4

/** The letters that may follow a backslash, but for `u`. */
const isLetter = tableOf(['"', "\\", "/", "b", "f", "n", "r", "t"].map((letter) => letter.charCodeAt(0)))

/** The values of digits; of a byte that is none, a number that leaves a unit negative wherever the byte stands in it. */
const noDigit = -1
const hexDigit = new Int8Array(256).fill(noDigit)
for (let value = 0; value < 16; value += 1) {
  const letter = value.toString(16)
  hexDigit[letter.charCodeAt(0)] = value
  hexDigit[letter.toUpperCase().charCodeAt(0)] = value
}

export const isUnicode = (bytes: Uint8Array, at: number): boolean => bytes[at + 1] === letterU

/** The length in bytes of the escape of a code unit. */
export const lengthOfUnit = 2 + digitsOfUnit

/** The length in bytes of the escape that begins at `at`. */
const escapeLength = (bytes: Uint8Array, at: number): number => (isUnicode(bytes, at) ? lengthOfUnit : 2)

/** A digit's part of a unit. Negative if it is none, since shifts keep the sign. */
const digit = (bytes: Uint8Array, at: number, bits: number): number => (hexDigit[bytes[at] ?? 0] ?? noDigit) << bits

/**
 * What the escape that begins at `at` stands for: a code unit for `\u`, the letter itself for others. Negative if it is no
 * escape of JSON (RFC 8259, section 7).
 */
export const escapedUnit = (bytes: Uint8Array, at: number): number => {
  const letter = bytes[at + 1] ?? 0
  if (letter !== letterU) return isLetter[letter] === 1 ? letter : -1
  // Reading beyond the end would make every read slower. No escape ends a text.
  if (at + 2 + digitsOfUnit > bytes.length) return -1
  return digit(bytes, at + 2, 12) | digit(bytes, at + 3, 8) | digit(bytes, at + 4, 4) | digit(bytes, at + 5, 0)
}

/** The position after the escape that begins here and, if it has two bytes, after the adjacent ones of two bytes. */
export const afterEscapes = (bytes: Uint8Array, start: number): number => {
  if (isUnicode(bytes, start)) return start + escapeLength(bytes, start)
  // Reading beyond the end would make every read slower.
  const last = bytes.length - 1
  let at = start
  while (at < last && bytes[at] === backslash && isLetter[bytes[at + 1] ?? 0] === 1) at += 2
  return at
}

/** After the last of adjacent escapes, and never between the halves of a character. */
export const endOfEscapes = 1

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
const isHalf = (unit: number): boolean => (unit & 0xf800) === 0xd800

/** Where a run of ordinary bytes and escapes stands. A state is the place of its two bits in `statesAfter`; odd ones end. */
const ordinary = 0
const behindBackslash = 2
const atEnd = 1
const atOtherEscape = 3
const bitsOfState = 3

/** For each byte, the state after it by the state before it. One step for any byte, like `nextState`. */
const statesAfter = Uint8Array.from(endsRun, (ends, byte) => {
  const next = byte === backslash ? behindBackslash : ends === 1 ? atEnd : ordinary
  return next | ((isLetter[byte] === 1 ? ordinary : atOtherEscape) << behindBackslash)
})

/** 1 for each byte with which a character or an escape begins, to be shifted by the state before it. */
const beginsAfter = Uint8Array.from(endsRun, (_, byte) => ((byte & 0xc0) === 0x80 ? 0 : 1))

/** How many bytes are read by the table before words are tried again. */
const blockLength = 1024

/** Like `skipEscaped`, up to about `end`, or to a backslash before it. */
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
 * The position after a string's ordinary bytes and escapes: of its end, what must be escaped, or what is no escape. If the string
 * is clean so far, also of an escape that may make it unclean.
 */
export const skipEscaped = (bytes: Uint8Array, start: number, isClean: boolean): number => {
  let at = start
  for (;;) {
    const run = skipRun(bytes, at)
    // A function of its own, since the engine optimises one that is called often better than one long loop.
    const end = skipBlock(bytes, run, Math.min(run + blockLength, bytes.length), isClean)
    if (end === at) return at
    at = end
  }
}

/** Of two escapes, each half of a character. */
const mostBytesOfCharacter = 2 * lengthOfUnit

/** A position in a string's content, and how many characters are still to be passed. */
interface Passed {
  readonly at: number
  readonly left: number
}

const isEscapedLow = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === backslash && isUnicode(bytes, at) && isLow(escapedUnit(bytes, at))

/** Passes characters up to about `end`. Fewer than none are left if there is one more. */
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
 * The position in a string's content, from `start` to the quote at `end`, after its first `most` characters. Half of a character may
 * follow, if it is escaped.
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

/** With a smaller excess of bytes over characters, counting them is not worth the time. */
const worthCounting = 64 * 1024

/** Whether the content from `start` to the quote at `end` has more than `most` characters, and by far more bytes. */
export const isFarBeyond = (bytes: Uint8Array, start: number, end: number, most: number): boolean =>
  end - start > most + worthCounting && afterCharacters(bytes, start, end, most) < end

/** How many characters are read of a string that is far too long. */
const heldOfTooLong = 1024

/** The first of such a string's characters, and `x` for the rest of `most`. */
export const tooLongText = (bytes: Uint8Array, start: number, end: number, most: number): string => {
  const held = Math.min(most, heldOfTooLong)
  return (
    JSON.parse(`"${decodedText(bytes, start, afterCharacters(bytes, start, end, held))}"`) + "x".repeat(most - held)
  )
}

/**
 * Whether an escape is neither NUL nor half of a character without its other half, given the escape directly before it.
 * UTF-8 cannot encode a lone surrogate, and JSON allows NUL only as an escape, so only escapes can make a string unclean.
 */
export const isCleanAfter = (unit: number, last: number): boolean => unit !== 0 && isHigh(last) === isLow(unit)

const mostRuns = 16

const encoder = new TextEncoder()

/**
 * The content of a long string with few escapes, in UTF-8 without them: never longer, since no character is shorter escaped.
 * Undefined if there are many, which `JSON.parse` reads faster.
 */
const unescapedBytes = (bytes: Uint8Array, start: number, end: number): Uint8Array | undefined => {
  // `slice` of Node's buffers would not copy.
  const room = new Uint8Array(bytes.subarray(start, end))
  let to = 0
  let at = 0
  for (let runs = 0; runs < mostRuns; runs += 1) {
    const run = skipRun(room, at)
    if (to < at) room.copyWithin(to, at, run)
    to += run - at
    if (run === room.length) return room.subarray(0, to)
    at = run
    while (room[at] === backslash) at = afterEscapes(room, at)
    to += encoder.encodeInto(JSON.parse(`"${decodedText(room, run, at)}"`), room.subarray(to, at)).written
  }
  return undefined
}

/**
 * The text of the string between the quotes at `start` and `end`, which is known to be one. A long one with few escapes is
 * decoded at once: joined from pieces, one character beyond ASCII would make the engine copy all of it at two bytes each.
 */
export const unescapedText = (bytes: Uint8Array, start: number, end: number, isClean: boolean): string => {
  // UTF-8 has no half of a character.
  const unescaped = isClean && end - start > worthCounting ? unescapedBytes(bytes, start + 1, end) : undefined
  return unescaped === undefined
    ? JSON.parse(decodedText(bytes, start, end + 1))
    : decodedText(unescaped, 0, unescaped.length)
}
