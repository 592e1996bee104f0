import { afterCharacters, unescapedText } from "@surety/http/form/JsonEscape"
import { expect, it } from "vitest"

/** Generates numbers in [0, n), deterministically by seed. */
const numbers = (seed: number) => {
  let state = seed
  return (n: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
}

/** Possible spellings of characters. A low surrogate counts together with the half before it. */
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
  "\\ude00"
]
const secondHalf = "\\ude00"

const all = [
  ...spellings,
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
  "\\udbff\\udfff"
]

const encoder = new TextEncoder()

it("a string is cut after as many characters as asked, however they are spelled and wherever it stands", () => {
  for (let seed = 0; seed < 600; seed += 1) {
    const below = numbers(seed)
    const ordinary = spellings[below(spellings.length)] ?? ""
    const others = below(2) === 0 ? 2 : 100
    const count = below(below(10) === 0 ? 3_000 : 300)
    const units = Array.from({ length: count }, () =>
      below(others) === 0 ? (spellings[below(spellings.length)] ?? "") : ordinary
    )
    const before = "x".repeat(below(8))
    const bytes = encoder.encode(`${before}${units.join("")}"`)
    const end = bytes.length - 1
    const most = below(count + 2)
    let left = most
    let expected = before.length
    for (const unit of units) {
      if (unit !== secondHalf) left -= 1
      if (left < 0) break
      expected += encoder.encode(unit).length
    }
    expect(afterCharacters(bytes, before.length, end, most), `${seed}`).toBe(expected)
  }
})

it("a long string is unescaped as JSON.parse does it, but for halves of characters, wherever it stands", () => {
  for (let seed = 0; seed < 150; seed += 1) {
    const below = numbers(seed)
    const ordinary = all[below(all.length)] ?? ""
    const others = [1, 10, 1_000, 30_000][below(4)] ?? 1
    const units: Array<string> = []
    for (let length = 0; length < 66_000 + below(3_000); ) {
      const unit = below(others) === 0 ? (all[below(all.length)] ?? "") : ordinary
      units.push(unit)
      length += unit.length
    }
    const before = "x".repeat(below(8))
    const bytes = encoder.encode(`${before}"${units.join("")}"`)
    const text = unescapedText(bytes, before.length, bytes.length - 1, Number.POSITIVE_INFINITY)
    const expected: string = JSON.parse(`"${units.join("")}"`)
    expect(text === expected.toWellFormed(), `${seed}`).toBe(true)
  }
})

it("a long string of too many characters ends after as many, with something else in place of the rest", () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const below = numbers(seed)
    const characters = ["a", "\u1ecd", "\ud83d\ude00", "\\u1ecd", "\\ud83d\\ude00", "\\n", "a".repeat(200)]
    const units = Array.from({ length: 150_000 }, () => characters[below(characters.length)] ?? "")
    const json = `"${units.join("")}"`
    const whole: string = JSON.parse(json)
    const count = [...whole].length
    const read = (most: number) => {
      const bytes = encoder.encode(json)
      return unescapedText(bytes, 0, bytes.length - 1, most)
    }
    const text = read(count - 1)
    expect([...text].length, `${seed}`).toBe(count - 1)
    expect(text.slice(0, 1_000)).toBe(whole.slice(0, 1_000))
    expect(text.endsWith("x".repeat(1_000))).toBe(true)
    expect(read(count) === whole, `${seed}`).toBe(true)
  }
})
