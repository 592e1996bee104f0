import { backslash, firstBeyondAscii, quote } from "./JsonBytes.js"

const rowLength = 256
const row = (index: number): number => index * rowLength

/**
 * Between two characters of a string. Zero, so that the bitwise OR of several states is zero only if each is this
 * state.
 */
export const betweenCharacters = row(0)
const behindBackslash = row(1)
/**
 * Within a multi-byte character. The states differ by what may follow: one to three arbitrary continuation bytes, or a
 * second byte from a restricted range.
 */
const oneMissing = row(2)
const twoMissing = row(3)
const threeMissing = row(4)
const afterE0 = row(5)
const afterEd = row(6)
const afterF0 = row(7)
const afterF4 = row(8)
/** After the closing quote. No state with this or a higher number continues the string. */
export const behindString = row(9)
export const notUtf8 = row(10)

/**
 * The next state, indexed by the sum of the current state and the byte. Accepts valid UTF-8 (RFC 3629) up to the
 * closing quote. After a backslash, a quote or another backslash is an ordinary character. A lookup takes the same time
 * for any byte, whereas branches on mixed bytes would be mispredicted.
 */
export const nextState = new Uint16Array(row(11)).fill(notUtf8)

const set = (state: number, first: number, last: number, next: number): void => {
  nextState.fill(next, state + first, state + last + 1)
}

for (const state of [betweenCharacters, behindBackslash]) {
  set(state, 0, firstBeyondAscii - 1, betweenCharacters)
  set(state, 0xc2, 0xdf, oneMissing)
  set(state, 0xe0, 0xef, twoMissing)
  set(state, 0xe0, 0xe0, afterE0)
  set(state, 0xed, 0xed, afterEd)
  set(state, 0xf0, 0xf0, afterF0)
  set(state, 0xf1, 0xf3, threeMissing)
  set(state, 0xf4, 0xf4, afterF4)
}
set(betweenCharacters, quote, quote, behindString)
set(betweenCharacters, backslash, backslash, behindBackslash)
set(oneMissing, 0x80, 0xbf, betweenCharacters)
set(twoMissing, 0x80, 0xbf, oneMissing)
set(threeMissing, 0x80, 0xbf, twoMissing)
set(afterE0, 0xa0, 0xbf, oneMissing)
set(afterEd, 0x80, 0x9f, oneMissing)
set(afterF0, 0x90, 0xbf, twoMissing)
set(afterF4, 0x80, 0x8f, twoMissing)

export const isWithinCharacter = (state: number): boolean => state >= oneMissing && state < behindString
