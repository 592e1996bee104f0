import { backslash, firstBeyondAscii, quote } from "./JsonBytes.js"

const rowLength = 256
const row = (index: number): number => index * rowLength

/** Between two characters of a string. Zero, so that the states of a run of single bytes add up to it. */
export const betweenCharacters = row(0)
const behindBackslash = row(1)
/** Within a character of several bytes, by what may follow: any one, two or three bytes, or a second byte within bounds. */
const oneMissing = row(2)
const twoMissing = row(3)
const threeMissing = row(4)
const afterE0 = row(5)
const afterEd = row(6)
const afterF0 = row(7)
const afterF4 = row(8)
/** Behind the closing quote. No state from here on continues the string. */
export const behindString = row(9)
export const notUtf8 = row(10)

/**
 * The state after a byte, at the sum of the state before it and the byte. It reads a string's characters, escapes by their first
 * two bytes, and UTF-8 (RFC 3629): no character is overlong or a surrogate. One step for any byte takes the same time for any
 * mixture of them, while the branches of a loop would be mispredicted.
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

/** Whether a character of several bytes has begun and not ended. */
export const isWithinCharacter = (state: number): boolean => state >= oneMissing && state < behindString
