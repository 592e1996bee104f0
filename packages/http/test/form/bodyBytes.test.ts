import { uncleanTexts } from "@surety/core/input/Text"
import { BoundedBody } from "@surety/http/form/BoundedBody"
import { JsonReader } from "@surety/http/form/JsonReader"
import { anyFields } from "@surety/http/form/Surplus"
import { Result } from "effect"
import { expect, it } from "vitest"
import { type RandomBelow, randomBelow } from "./randomBelow.js"

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const sound = [
  "a",
  "\u00e9",
  "\u1ecd",
  "\ud83d\ude00",
  "\u0800",
  "\ud7ff",
  "\u{10ffff}",
  "\\n",
  "\\\\",
  '\\"',
  "\\u0041",
  "\\u1ecd",
  "\\ud83d\\ude00",
  ","
]
const unsound = [
  "\\",
  "\\x",
  "\\u00",
  "\\u12g4",
  '"',
  "\n",
  "\u0000",
  "\\\u00e9",
  "\ufeff",
  "\\ud83d",
  "\\ude00",
  "\\u0000"
]
const bytesOfNone: ReadonlyArray<ReadonlyArray<number>> = [
  [0x80],
  [0xc3],
  [0xc0, 0x80],
  [0xe0, 0x9f, 0xbf],
  [0xed, 0xa0, 0x80],
  [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  [0xe2, 0x82],
  [0xf0, 0x8f, 0xbf, 0xbf],
  [0xf0, 0x9f, 0x98],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf5],
  [0xff]
]
const around = [
  ["", ""],
  ["[0,", ',"\u00e9"]'],
  ['{"a":', ',"b":-1.5e3}'],
  ["\ufeff{", ":true}"]
] as const

const pick = <A>(below: RandomBelow, from: ReadonlyArray<A>, otherwise: A): A => from[below(from.length)] ?? otherwise

/**
 * Generates fewer than 200 elements of `sound`, or fewer than 3,000 in one case in 20. One result in three is a random
 * mix; the others mostly repeat one element. One in four also contains an element of `unsound`.
 */
const contentOf = (below: RandomBelow): string => {
  const ordinary = below(2) === 0 ? "a" : pick(below, sound, "a")
  const others = below(3) === 0 ? 1 : 40
  const length = below(below(20) === 0 ? 3_000 : 200)
  const pieces = Array.from({ length }, () => (below(others) === 0 ? pick(below, sound, "") : ordinary))
  if (below(4) === 0) pieces.splice(below(pieces.length + 1), 0, pick(below, unsound, ""))
  return pieces.join("")
}

const spaces = [" ", "\t", "\n", "\r"]
const filler = ["", "e5", "E+7", ".5", "-", "+", "\u00e9", "]", '"']

/**
 * Generates a number with white space, on its own or in a list or object. The number and each run of white space are up
 * to 200 characters long. In one case in four, a filler is inserted into the number.
 */
const outsideOf = (below: RandomBelow): string => {
  const space = pick(below, spaces, "").repeat(below(200))
  const digits = `${1 + below(9)}${pick(below, ["0", "7"], "").repeat(below(200))}`
  const at = below(digits.length + 1)
  const whole = below(4) === 0 ? digits.slice(0, at) + pick(below, filler, "") + digits.slice(at) : digits
  return pick(below, [`[${space}${whole}${space}]`, `${space}{"a"${space}:${space}${whole}}`, space + whole], "")
}

/** Generates a body from `contentOf` or `outsideOf`. One in four is cut short, or has invalid UTF-8 inserted. */
const bodyOf = (below: RandomBelow): Uint8Array => {
  const [before, after] = pick(below, around, ["", ""])
  const bytes = encoder.encode(below(4) === 0 ? outsideOf(below) : `${before}"${contentOf(below)}"${after}`)
  const at = below(bytes.length)
  switch (below(8)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Uint8Array.of(...bytes.subarray(0, at), ...pick(below, bytesOfNone, []), ...bytes.subarray(at))
    default:
      return bytes
  }
}

/** Copies the bytes to a random offset in a larger buffer. The bytes around them would change the result if read. */
const placed = (below: RandomBelow, bytes: Uint8Array): Uint8Array => {
  const room = new Uint8Array(bytes.length + 32).fill(pick(below, [34, 92, 0x80, 0xff], 0))
  const offset = 4 + below(8)
  room.set(bytes, offset)
  return room.subarray(offset, offset + bytes.length)
}

const inPieces = (below: RandomBelow, bytes: Uint8Array): ReturnType<typeof BoundedBody.of> => {
  const reader = BoundedBody.reader(bytes.length)
  const most = pick(below, [1, 2, 5, 70, 300], 1)
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + below(most)
    const added = reader.add(bytes.subarray(at, end))
    if (Result.isFailure(added)) return Result.fail(added.failure)
    at = end
  }
  return reader.end()
}

const textOf = (bytes: Uint8Array): Result.Result<string, unknown> => Result.try(() => decoder.decode(bytes))

const isMarked = (text: string): boolean => text.startsWith("\ufeff")

const parsed = (text: string): Result.Result<unknown, unknown> =>
  Result.try((): unknown => JSON.parse(isMarked(text) ? text.slice(1) : text))

/** Seeds, one per round, reported on failure. */
const rounds = Array.from({ length: 12_000 }, (_, round) => round)

it("a body of any bytes is read as the platform reads its text, in any pieces, at any place of a buffer", () => {
  const seen = { valid: 0, notJson: 0, notUtf8: 0 }
  for (const seed of rounds) {
    const below = randomBelow(seed)
    const bytes = placed(below, bodyOf(below))
    const whole = BoundedBody.of(bytes)
    const pieces = inPieces(below, bytes)
    const text = textOf(bytes)
    expect([Result.isSuccess(whole), Result.isSuccess(pieces)], `${seed}`).toEqual(
      Result.isSuccess(text) ? [true, true] : [false, false]
    )
    if (Result.isFailure(text) || Result.isFailure(whole) || Result.isFailure(pieces)) {
      seen.notUtf8 += 1
      continue
    }
    const expected = parsed(text.success)
    for (const body of [whole.success, pieces.success]) {
      const reader = new JsonReader(body.bytes, anyFields)
      const value = Result.try(() => reader.read())
      expect(Result.isSuccess(value), `${seed}: ${text.success}`).toBe(Result.isSuccess(expected))
      if (Result.isSuccess(value) && Result.isSuccess(expected)) {
        expect(JSON.stringify(value.success), `${seed}`).toBe(JSON.stringify(expected.success))
        expect(reader.unclean.length, `${seed}`).toBe(uncleanTexts(expected.success).length)
      }
    }
    seen[Result.isSuccess(expected) ? "valid" : "notJson"] += 1
  }
  expect(Math.min(seen.valid, seen.notJson, seen.notUtf8)).toBeGreaterThan(500)
})
