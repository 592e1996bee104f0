import { text, uncleanTexts } from "@surety/core/input/Text"
import { BoundedBody } from "@surety/http/form/BoundedBody"
import { formOf } from "@surety/http/form/Form"
import { JsonReader } from "@surety/http/form/JsonReader"
import { anyFields, type FieldNames, fieldNamesOf, trimSurplus } from "@surety/http/form/Surplus"
import { inBody } from "@surety/http/problem/Fault"
import { Effect, Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { type RandomBelow, randomBelow } from "./randomBelow.js"

const Inner = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  list: Schema.optionalKey(Schema.Array(Schema.Number))
})
const Body = Schema.Struct({
  id: Schema.String,
  amount: Schema.optionalKey(Schema.Number),
  inner: Schema.optionalKey(Inner),
  items: Schema.optionalKey(Schema.Array(Inner)),
  short: Schema.optionalKey(text(1)),
  words: Schema.optionalKey(Schema.Array(text(2))),
  kind: Schema.optionalKey(Schema.Literals(["/", "ab"])),
  anything: Schema.optionalKey(Schema.Unknown)
})
const form = formOf(Body)
const names = [
  "id",
  "amount",
  "inner",
  "name",
  "list",
  "items",
  "short",
  "words",
  "kind",
  "anything",
  "f\u00e9",
  "x",
  "__proto__",
  "toString",
  ""
]

const pick = (below: RandomBelow, from: ReadonlyArray<string>): string => from[below(from.length)] ?? ""

const spaces = (below: RandomBelow): string => pick(below, ["", "", "", " ", "\n\t", "\r "])

const texts = [
  "",
  "a",
  "\u1ecdl\u00e1",
  "\ud83d\ude00",
  "\u007f\u0080",
  '"',
  "\\",
  "/",
  "\b\f\n",
  "x".repeat(80),
  "\ufeff",
  "\u0000",
  "\ud83d"
]

/** Encodes a string as JSON, sometimes with unnecessary escapes. */
const spelled = (below: RandomBelow, text: string): string =>
  below(4) > 0
    ? JSON.stringify(text)
    : `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`

const scalars = ["0", "-0", "1.5", "-12e3", "1E+2", "12345678901234567", "0.1", "true", "false", "null"]

const jsonOf = (below: RandomBelow, depth: number): string => {
  const space = () => spaces(below)
  const inSpaces = (text: string) => `${space()}${text}${space()}`
  const kind = depth === 0 ? below(2) : below(6)
  if (kind === 0) return pick(below, scalars)
  if (kind === 1) return spelled(below, pick(below, texts))
  const count = below(20) === 0 ? 105 + below(60) : below(5)
  const each = count > 100 ? 0 : depth - 1
  if (kind < 4) return `[${Array.from({ length: count }, () => inSpaces(jsonOf(below, each))).join()}${space()}]`
  const nameOf = (index: number) =>
    below(3) > 0 ? `${pick(below, names)}${count > 100 || below(3) > 0 ? index : ""}` : pick(below, names)
  const field = (index: number) =>
    `${inSpaces(spelled(below, below(30) === 0 ? pick(below, texts) : nameOf(index)))}:${inSpaces(jsonOf(below, each))}`
  return `{${Array.from({ length: count }, (_, index) => field(index)).join()}${space()}}`
}

const mistakes = ['"', "\\", ",", ":", "]", "}", "0", "e", "\u0001", "-", "\\u00", "tru"]

/**
 * Generates JSON text. In half of the cases, removes a character or inserts a mistake. Replaces lone surrogates,
 * because UTF-8 cannot encode them.
 */
const textOf = (below: RandomBelow): string => {
  const text = `${spaces(below)}${jsonOf(below, 4)}${spaces(below)}`
  const at = below(text.length)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  const broken = [before + after.slice(1), before + pick(below, mistakes) + after, text, text]
  return pick(below, broken).toWellFormed()
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

const parsed = (text: string): Result.Result<unknown, unknown> => Result.try((): unknown => JSON.parse(text))

/**
 * Matches an escaped one-character key, which Node 24's `JSON.parse` sometimes misreads as a backslash (see
 * `escapedKeys.test.ts`).
 */
const misreadKey = /"\\(?:u[0-9a-f]{4}|[^u])"\s*:/i

const read = (text: string, fields: FieldNames) => {
  const reader = new JsonReader(bytesOf(text), fields)
  return { reader, value: Result.try(() => reader.read()) }
}

/** True if any object in the text has a duplicate key. Scans for strings and braces instead of parsing the text. */
const hasKeyTwice = (text: string): boolean => {
  const open: Array<Set<string>> = []
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}]/gs
  for (const [found, colon] of text.matchAll(token)) {
    if (found === "{") open.push(new Set())
    else if (found === "}") open.pop()
    else if (colon !== undefined) {
      const keys = open.at(-1)
      const key: string = JSON.parse(found.slice(0, -colon.length))
      if (keys?.has(key) === true) return true
      keys?.add(key)
    }
  }
  return false
}

const placesOf = (faults: ReadonlyArray<unknown>) => faults.map((fault) => JSON.stringify(fault)).toSorted()

/** Seeds, one per round, reported on failure. */
const rounds = Array.from({ length: 3_000 }, (_, round) => round)

describe("The reader of JSON", () => {
  it("takes the texts that JSON.parse takes, and reads the same of them", () => {
    let valid = 0
    for (const seed of rounds) {
      const text = textOf(randomBelow(seed))
      const expected = parsed(text)
      const { reader, value } = read(text, anyFields)
      expect(Result.isSuccess(value), `${seed}: ${text}`).toBe(Result.isSuccess(expected))
      if (Result.isFailure(expected) || Result.isFailure(value)) continue
      valid += 1
      expect(reader.hasFieldTwice, `${seed}: ${text}`).toBe(hasKeyTwice(text))
      if (reader.hasFieldTwice || misreadKey.test(text)) continue
      expect(JSON.stringify(value.success), `${seed}`).toBe(JSON.stringify(expected.success))
      expect(placesOf(reader.unclean), `${seed}: ${text}`).toEqual(
        placesOf(uncleanTexts(expected.success).map(({ code, detail, path }) => inBody(path, code, detail)))
      )
      expect(reader.inexact, `${seed}`).toEqual(text.replace(/"(?:[^"\\]|\\.)*"/gs, "").match(/\d{17,}/g) ?? [])
    }
    expect(valid).toBeGreaterThan(1_500)
  })

  it("finds the same faults of a form with what it leaves out as with all of it", async () => {
    const fields = fieldNamesOf(Body)
    for (const seed of rounds) {
      const text = textOf(randomBelow(seed))
      const all = read(text, anyFields)
      const some = read(text, fields)
      const { hasFieldTwice, inexact, unclean } = some.reader
      expect(Result.isSuccess(some.value), `${seed}`).toBe(Result.isSuccess(all.value))
      if (Result.isFailure(all.value) || Result.isFailure(some.value) || hasFieldTwice) continue
      expect([hasFieldTwice, unclean, inexact], `${seed}`).toEqual([
        all.reader.hasFieldTwice,
        all.reader.unclean,
        all.reader.inexact
      ])
      expect(trimSurplus(some.value.success, fields).fault, `${seed}`).toEqual(
        trimSurplus(all.value.success, fields).fault
      )
      const [found, expected] = await Promise.all(
        [some.value.success, all.value.success].map((value) => Effect.runPromise(form.read(value)))
      )
      expect(found, `${seed}: ${text}`).toEqual(expected)
    }
  })

  it("keeps what a field holds that may hold anything", () => {
    const anything = { a: [{ b: "\ud83d\ude00" }], list: Array.from({ length: 150 }, (_, index) => index) }
    const text = JSON.stringify({ id: "a", x: "y", anything })
    expect(read(text, fieldNamesOf(Body)).value).toEqual(Result.succeed({ id: "a", x: null, anything }))
    const Open = Schema.Struct({ more: Schema.Record(Schema.String, Schema.Json) })
    const more = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, { index }]))
    expect(read(JSON.stringify({ more }), fieldNamesOf(Open)).value).toEqual(Result.succeed({ more }))
    const shared = Schema.Record(Schema.String, Schema.Json)
    const twice = fieldNamesOf(Schema.Struct({ one: shared, other: shared, list: Schema.Array(shared) }))
    expect([...twice.open]).toEqual(["one", "other", "list"])
    expect(fieldNamesOf(Schema.Record(Schema.String, Schema.Never)).isOpen).toBe(false)
    expect(fieldNamesOf(Schema.Record(Schema.String, Schema.String)).isOpen).toBe(true)
  })

  it("builds no more of a string than proves that it is too long, or not of the field's type", () => {
    const Limited = Schema.Struct({
      short: text(2),
      words: Schema.Array(text(2)),
      kind: Schema.Literals(["a", "abc"]),
      amount: Schema.Number,
      inner: Inner,
      consent: Schema.Unknown.annotate({ longest: 0 }),
      open: Schema.String
    })
    const fields = fieldNamesOf(Limited)
    const builtOf = (json: string) => Result.getOrThrow(read(json, fields).value)
    const rest = "y".repeat(70_000)
    for (const [json, text] of [
      ["ab", "ab"],
      ["\u1ecdl\u00e1\ud83d\ude00\u1ecd", "\u1ecdl\u00e1\ud83d\ude00\u1ecd"],
      ["a\\n\\u0041\\\\b\\ud83d\\ude00", "a\nA\\b\ud83d\ude00"]
    ] as const) {
      const whole = text + rest
      const first = (count: number) => [...whole].slice(0, count).join("")
      const known = ["short", "kind", "amount", "inner", "consent", "open"].map((name) => `"${name}":"${json}${rest}"`)
      expect(builtOf(`{${known.join()},"words":["${json}${rest}"]}`)).toEqual({
        short: first(3),
        words: [first(3)],
        kind: first(4),
        amount: first(1),
        inner: first(1),
        consent: first(1),
        open: whole
      })
    }
    expect(builtOf('{"consent":{"a":"b"}}')).toEqual({ consent: { a: null } })
  })

  it("keeps a string of as many characters as its field may have, however they are spelled", () => {
    const Limited = Schema.Struct({ selfie: text(70_000) })
    const fields = fieldNamesOf(Limited)
    for (const [json, character] of [
      ["\u1ecd", "\u1ecd"],
      ["\ud83d\ude00", "\ud83d\ude00"],
      ["\\n", "\n"],
      ["\\u1ecd", "\u1ecd"],
      ["\\ud83d\\ude00", "\ud83d\ude00"]
    ] as const) {
      for (const count of [70_000, 70_001, 70_002]) {
        const { reader, value } = read(`{"selfie":"${json.repeat(count)}"}`, fields)
        const { selfie } = Result.getOrThrow(value) as { readonly selfie: string }
        if (count < 70_002) expect(selfie === character.repeat(count), `${json} ${count}`).toBe(true)
        expect([...selfie].length, json).toBe(Math.min(count, 70_001))
        expect(selfie.startsWith(character.repeat(1_024))).toBe(true)
        expect(reader.unclean).toEqual([])
      }
    }
  })

  it("reads a long string with few or many escapes as JSON.parse does, wherever they stand", () => {
    const long = "a\u1ecd".repeat(20_000)
    const escapes = ["\\n", "\\\\", '\\"', "\\u1ecd", "\\ud83d\\ude00", "\\n\\u0041\\/"]
    for (const each of escapes) {
      const pieces = [each + long, long + each, `${each}${each}${long}${each}`, `${long}${each}`.repeat(15)]
      for (const content of [...pieces, `${long}${each}`.repeat(16), `${each}x`.repeat(17) + long]) {
        const { value } = read(`"${content}"`, anyFields)
        expect(Result.getOrThrow(value) === JSON.parse(`"${content}"`), each).toBe(true)
      }
    }
  })

  it("tells keys apart that differ in their middle alone, and finds the one that is there twice", () => {
    const name = (middle: number) => `${"a".repeat(40)}${String(middle).padStart(5, "0")}${"b".repeat(40)}`
    const fieldsOf = (...middles: ReadonlyArray<number>) => `{${middles.map((each) => `"${name(each)}":0`).join()}}`
    expect(read(fieldsOf(1, 2, 3), anyFields).reader.hasFieldTwice).toBe(false)
    for (const twice of [fieldsOf(1, 2, 1), fieldsOf(1, 2, 2), fieldsOf(1, 2, 3, 2)]) {
      const { reader, value } = read(twice, anyFields)
      expect([Result.isSuccess(value), reader.hasFieldTwice]).toEqual([true, true])
    }
  })

  it("says where an unclean string is, even in a part that it omits", () => {
    const { reader } = read('{"id":"a","x":{"\\u0061b":[1,["\\u0000"]]},"c\\ud800":"\\u0000"}', fieldNamesOf(Body))
    expect(reader.unclean.map(({ place }) => place.in === "body" && place.path)).toEqual([
      ["x", "ab", 1, 0],
      ["c\ud800"]
    ])
  })
})

describe("A body in pieces", () => {
  it.each([3, 140_007, 16_777_216])("is the body as a whole, in room for %s bytes", (mostBytes) => {
    const text = `\ufeff["${"\u1ecd\ud83d\ude00".repeat(20_000)}"]`
    const bytes = bytesOf(text)
    const reader = BoundedBody.reader(mostBytes)
    for (let at = 0; at < bytes.length; at += 7_001) reader.add(bytes.slice(at, at + 7_001))
    const [whole, pieces] = [BoundedBody.of(bytes), reader.end()]
    expect(Result.isSuccess(pieces) && new TextDecoder().decode(pieces.success.bytes)).toBe(text.slice(1))
    expect(Result.map(whole, (body) => [...body.bytes])).toEqual(Result.map(pieces, (body) => [...body.bytes]))
  })
})
