import { expect, it } from "@effect/vitest"
import { skipDigits, skipPlain, skipRun, skipValues } from "@surety/http/form/JsonBytes"

const letterA = 65
const digitNine = 57
const text = 200
const isEnd = (byte: number): boolean => byte === 34 || byte === 92
const every = (count: number) => Array.from({ length: count }, (_, index) => index)

/**
 * Returns the distances from a `byte` placed among `ordinary` bytes to the end of the run. Tries three starts, every
 * position of `byte` at or after the start, and every alignment to four bytes. Adds `NaN` if a run without `byte` ends
 * early.
 */
const endsOf = (skip: typeof skipRun, ordinary: number, byte: number): ReadonlySet<number> => {
  const distances = new Set<number>()
  for (const offset of every(4)) {
    const bytes = new Uint8Array(new ArrayBuffer(text + 4), offset, text).fill(ordinary)
    for (const start of [0, 1, 7]) {
      for (let at = start; at < text; at += 1) {
        bytes[at] = byte
        distances.add(skip(bytes, start) - at)
        bytes[at] = ordinary
      }
      if (skip(bytes, start) !== text) distances.add(Number.NaN)
    }
  }
  return distances
}

/** Returns the bytes at which a run wrongly ends or continues. */
const wrongOf = (skip: typeof skipRun, ordinary: number, ends: (byte: number) => boolean) =>
  every(256).filter((byte) => {
    const distances = endsOf(skip, ordinary, byte)
    // A byte that does not end the run has a different distance to the text's end at each position.
    return ends(byte) ? distances.size !== 1 || !distances.has(0) : distances.size !== text || !distances.has(1)
  })

it("a run ends at a quote, a backslash and what must be escaped, wherever it stands", () => {
  expect(wrongOf(skipRun, letterA, (byte) => isEnd(byte) || byte < 32)).toEqual([])
})

it("a run of one byte a character ends at a quote, a backslash and beyond ASCII, wherever it stands", () => {
  expect(wrongOf(skipPlain, letterA, (byte) => isEnd(byte) || byte >= 128)).toEqual([])
})

it("a run outside strings ends at a quote, a comma, a bracket, a brace and beyond ASCII, wherever it stands", () => {
  const ends = (byte: number) => byte >= 128 || '",[]{}'.includes(String.fromCharCode(byte))
  for (const ordinary of [digitNine, letterA]) expect(wrongOf(skipValues, ordinary, ends)).toEqual([])
})

it("a run of digits ends at any other byte, wherever it stands", () => {
  expect(wrongOf(skipDigits, digitNine, (byte) => byte < 48 || byte > 57)).toEqual([])
})
