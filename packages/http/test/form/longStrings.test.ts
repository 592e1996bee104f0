import { JsonReader } from "@surety/http/form/JsonReader"
import { anyFields, type FieldNames, hashOfName } from "@surety/http/form/Surplus"
import { afterCharacters, charactersIn } from "@surety/http/form/Utf8Characters"
import { Result } from "effect"
import { expect, it } from "vitest"
import { type RandomBelow, randomBelow } from "./randomBelow.js"

/** Characters and escapes that a JSON string may contain, including escapes of lone surrogates and of NUL. */
const spellings = [
  "a",
  "\u00e9",
  "\u1ecd",
  "\ud83d\ude00",
  "\\n",
  "\\\\",
  "\\u0041",
  "\\ud83d\\ude00",
  "\\ud83d",
  "\\ude00",
  "\\b",
  "\\f",
  "\\r",
  "\\t",
  "\\/",
  '\\"',
  "\\u0000",
  "\\u00e9",
  "\\u1ecd",
  "\\uffff",
  "\\uDBFF\\uDFFF"
]
const clean = spellings.filter((spelled) => JSON.parse(`"${spelled}"`).isWellFormed() && spelled !== "\\u0000")
const unclean = spellings.filter((spelled) => !clean.includes(spelled))
const mistakes = ["\\", "\\x", "\\u00", "\\u12g4", "\\U0041", "\n", "\u0000", '"', "\\\u1ecd", "\\ud83d\\"]

const encoder = new TextEncoder()

/**
 * Builds content too long for `JsonReader` to use `JSON.parse`. It is a random mix, or mostly one character or escape
 * with others mixed in.
 */
const longContent = (below: RandomBelow, from: ReadonlyArray<string>): Array<string> => {
  const ordinary = from[below(from.length)] ?? ""
  const others = [1, 10, 1_000, 30_000][below(4)] ?? 1
  const units: Array<string> = []
  for (let length = 0; length < 66_000 + below(3_000); ) {
    const unit = below(others) === 0 ? (from[below(from.length)] ?? "") : ordinary
    units.push(unit)
    length += unit.length
  }
  return units
}

/** Reads JSON that starts at offset `before` of a buffer. */
const read = (json: string, before = 0, fields: FieldNames = anyFields) => {
  const encoded = encoder.encode(json)
  const room = new Uint8Array(before + encoded.length + 8).fill(92)
  room.set(encoded, before)
  const reader = new JsonReader(room.subarray(before, before + encoded.length), fields)
  return { reader, value: Result.try((): unknown => reader.read()) }
}

it("characters are counted and cut, wherever they stand", () => {
  const characters = ["a", "\u00e9", "\u1ecd", "\ud83d\ude00"]
  for (let seed = 0; seed < 600; seed += 1) {
    const below = randomBelow(seed)
    const ordinary = characters[below(4)] ?? ""
    const others = below(2) === 0 ? 2 : 100
    const count = below(below(10) === 0 ? 3_000 : 300)
    const units = Array.from({ length: count }, () => (below(others) === 0 ? (characters[below(4)] ?? "") : ordinary))
    const before = "\u1ecd".repeat(below(3)) + "x".repeat(below(8))
    const bytes = encoder.encode(`${before}${units.join("")}\u1ecd`).subarray(below(2) * before.length && 1)
    const start = bytes.length - encoder.encode(`${units.join("")}\u1ecd`).length
    const end = bytes.length - 3
    expect(charactersIn(bytes, start, end), `${seed}`).toBe(count)
    const most = below(count + 2)
    const expected = start + encoder.encode(units.slice(0, most).join("")).length
    expect(afterCharacters(bytes, start, end, most), `${seed}`).toBe(expected)
  }
})

it("a long string is unescaped as JSON.parse does it, but for halves of characters, wherever it stands", () => {
  for (let seed = 0; seed < 150; seed += 1) {
    const below = randomBelow(seed)
    const content = longContent(below, below(2) === 0 ? clean : spellings).join("")
    const { reader, value } = read(`["${content}","\\u0041"]`, below(8))
    const expected: string = JSON.parse(`"${content}"`)
    const [text, after] = Result.getOrThrow(value) as ReadonlyArray<string>
    expect([text === expected.toWellFormed(), after], `${seed}`).toEqual([true, "A"])
    const isClean = expected.isWellFormed() && !expected.includes("\u0000")
    expect(reader.unclean.length, `${seed}`).toBe(isClean ? 0 : 1)
  }
})

it("one unclean escape is found anywhere in a long string, whether it is read or skipped", () => {
  for (let seed = 0; seed < 150; seed += 1) {
    const below = randomBelow(seed)
    const units = longContent(below, clean)
    units.splice(below(units.length + 1), 0, unclean[below(unclean.length)] ?? "")
    const content = units.join("")
    const text: string = JSON.parse(`"${content}"`)
    const count = text.isWellFormed() && !text.includes("\u0000") ? 0 : 1
    const skipped = { ...anyFields, isOpen: false }
    for (const [json, fields] of [
      [`"${content}"`, anyFields],
      [`{"x":"${content}"}`, skipped]
    ] as const) {
      const { reader, value } = read(json, below(8), fields)
      expect([Result.isSuccess(value), reader.unclean.length], `${seed}`).toEqual([true, count])
    }
  }
})

it("a long string with one mistake is no JSON, wherever it is, whether it is read or skipped", () => {
  for (let seed = 0; seed < 150; seed += 1) {
    const below = randomBelow(seed)
    const units = longContent(below, clean)
    units.splice(below(units.length + 1), 0, mistakes[below(mistakes.length)] ?? "")
    const content = units.join("")
    const cut = below(4) === 0 ? "" : '"'
    const skipped = { ...anyFields, isOpen: false }
    for (const [json, fields] of [
      [`"${content}${cut}`, anyFields],
      [`{"x":"${content}${cut}}`, skipped]
    ] as const) {
      const expected = Result.try((): unknown => JSON.parse(json))
      expect(Result.isSuccess(read(json, below(8), fields).value), `${seed}`).toBe(Result.isSuccess(expected))
    }
  }
})

it("a long string of too many characters ends after as many, with something else in place of the rest", () => {
  for (let seed = 0; seed < 8; seed += 1) {
    const below = randomBelow(seed)
    const characters = ["a", "\u1ecd", "\ud83d\ude00", "\\u1ecd", "\\ud83d\\ude00", "\\n", "a".repeat(200)]
    const units = Array.from({ length: 150_000 }, () => characters[below(characters.length)] ?? "")
    const json = `"${units.join("")}"`
    const whole: string = JSON.parse(json)
    const count = [...whole].length
    const readMost = (most: number): string => {
      const known = new Set(["a"])
      const fields = {
        ...anyFields,
        known,
        hashes: new Set([hashOfName("a")]),
        lengths: new Map([["a", most]]),
        isOpen: false
      }
      return (Result.getOrThrow(read(`{"a":${json}}`, 0, fields).value) as { readonly a: string }).a
    }
    for (const most of [1, 1_000, 30_000, count - 1]) {
      const text = readMost(most)
      expect([...text].length, `${seed} ${most}`).toBe(most)
      const held = [...whole.slice(0, 2_000)].slice(0, Math.min(most, 1_000)).join("")
      expect(text.startsWith(held)).toBe(true)
      if (most > 2_024) expect(text.endsWith("x".repeat(1_000))).toBe(true)
    }
    expect(readMost(count) === whole, `${seed}`).toBe(true)
  }
})
