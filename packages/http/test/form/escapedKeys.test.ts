import { openApiDocument } from "@surety/http/docs/OpenApiDocument"
import { BoundedBody } from "@surety/http/form/BoundedBody"
import { parseJson } from "@surety/http/form/JsonText"
import { Predicate, Result } from "effect"
import { describe, expect, it } from "vitest"
import { randomBelow } from "./randomBelow.js"

/**
 * Keys with their JSON spellings, some of which trigger a bug in Node 24. Its `JSON.parse` sometimes reads the key `\n`
 * of `{"ab":1,"\n":2}` as a backslash. This affects any escaped one-character key in an object of a shape not seen
 * before. Two keys may then become one.
 */
const spellings: ReadonlyArray<readonly [key: string, spelled: string]> = [
  ["\n", "\\n"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["/", "\\/"],
  ["\u0001", "\\u0001"],
  ["a", "\\u0061"],
  ["a", "a"],
  ["\u5e74", "\\u5e74"],
  ["ab", "ab"],
  ["ab", "\\u0061b"],
  ["\\\\", "\\\\\\\\"],
  ["", ""],
  ["1", "1"]
]

const read = (text: string) =>
  Result.flatMap(BoundedBody.of(new TextEncoder().encode(text)), (bounded) => parseJson(bounded))

describe("A body's keys of one character", () => {
  it("are read as they are spelled, in objects of any shape, and found if they stand twice", () => {
    const below = randomBelow(7)
    let twice = 0
    for (let round = 0; round < 5_000; round += 1) {
      const fields = Array.from({ length: 1 + below(4) }, () => spellings[below(spellings.length)] ?? ["a", "a"])
      const text = `{"outer${below(3)}":{${fields.map(([, spelled], at) => `"${spelled}":${at}`).join()}}}`
      const keys = fields.map(([key]) => key)
      const outcome = read(text)
      if (new Set(keys).size < keys.length) {
        twice += 1
        expect(Result.isFailure(outcome) && outcome.failure.options.detail, text).toMatch(/same field twice/)
        continue
      }
      const { value } = Result.getOrThrow(outcome)
      const inner = Predicate.isObject(value) ? Object.values(value)[0] : undefined
      expect(new Map(Object.entries(inner ?? {})), text).toEqual(new Map(keys.map((key, at) => [key, at])))
    }
    expect(twice).toBeGreaterThan(100)
  })
})

const namesIn = (part: unknown): ReadonlyArray<string> => {
  if (Array.isArray(part)) return part.flatMap(namesIn)
  if (!Predicate.isObject(part)) return []
  const own = Predicate.hasProperty(part, "properties") && Predicate.isObject(part.properties)
  return [...(own ? Object.keys(part.properties ?? {}) : []), ...Object.values(part).flatMap(namesIn)]
}

describe("A field of ours", () => {
  it("has a name of two characters or more, which JSON.parse of clients, hosts and merchants reads as it stands", () => {
    const names = new Set(namesIn(openApiDocument("https://pay.example")))
    expect(names.size).toBeGreaterThan(100)
    expect([...names].filter((name) => name.length < 2)).toEqual([])
  })
})
