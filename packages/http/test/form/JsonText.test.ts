import { maxDepth, maxParts, readJson } from "@surety/http/form/JsonText"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { workedMillis } from "../workedMillis.js"

const codeOf = (text: string): string => {
  const read = readJson(text)
  if (Result.isFailure(read)) return read.failure.code
  return (
    read.success.faults.map(({ code, place }) => `${code} ${place.in === "body" ? place.path.join(".") : ""}`).join() ||
    "read"
  )
}

describe("a JSON text", () => {
  it.each([
    "null",
    "0",
    '""',
    "[]",
    "{}",
    ' {"a" : [1, {"b":"\\"c\\":"}], "d":{"a":1}} ',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a\\\\":1,"a":2}',
    '{"a":"\\\\","b":"\\\\\\""}',
    '[{"a":1},{"a":1}]',
    '{"1":1,"01":1}',
    '{"a":"\\" 90071992547409931 \\""}',
    '{"a":"\\\\\\" 90071992547409931"}',
    '{"a":"\\",\\"b\\":1,\\"b\\":2"}'
  ])("is read: %s", (text) => {
    expect(codeOf(text)).toBe("read")
    const read = readJson(text)
    expect(Result.isSuccess(read) && read.success.value).toEqual(JSON.parse(text))
  })

  it.each(['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[[{"b":{"x":1,"y":2,"x":3}}]]', '{"":1,"":2}', '{"a":1 , "a" :2}'])(
    "has a field twice: %s",
    (text) => {
      expect(codeOf(text)).toBe("invalid_json")
    }
  )

  it("keeps a field of that name from being a prototype", () => {
    const read = readJson('{"__proto__":{"a":1}}')
    expect(Result.isSuccess(read) && Object.keys(Object(read.success.value))).toEqual(["__proto__"])
  })

  it.each([
    ['"\\u0000"', ""],
    ['{"a":["x","\\ud83d"]}', "a.1"],
    ['{"\\udead":1}', "\udead"]
  ])("has characters that are not allowed: %s", (text, path) => {
    expect(codeOf(text)).toBe(`invalid_characters ${path}`)
  })

  it("with very many of those gets the first ones", () => {
    const read = readJson(JSON.stringify(Array.from({ length: maxParts }, () => "\u0000")))
    expect(Result.isSuccess(read) && read.success.faults).toHaveLength(100)
  })

  it("with a number of very many zeros is read as fast as any other", async () => {
    const zeros = "0".repeat(4_000_000)
    const millis = await workedMillis(() => {
      for (const number of [`1${zeros}1`, `1.${zeros}1`, `1${zeros}`]) codeOf(`[${number}]`)
    })
    expect(millis).toBeLessThan(5000)
  })

  it.each(["9007199254740993", "0.10000000000000000555", "1e-5000", "12345678901234567.8", "-99999999999999999"])(
    "has a number that is not what a double holds: %s",
    (number) => {
      const inexact = number.length >= 16
      expect(codeOf(`{"a":"9007199254740993","b":${number}}`)).toBe(inexact ? "amount_precision b" : "read")
    }
  )

  it.each(['{"a":"\\\\","b":90071992547409931}', '{"a":"\\"","b":90071992547409931}'])(
    "has such a number behind escapes: %s",
    (text) => {
      expect(codeOf(text)).toBe("amount_precision b")
    }
  )

  it("has such a number where the fault says", () => {
    expect(codeOf('{"items":[{"amount":1},{"amount":1.00000000000000000001}]}')).toBe("amount_precision items.1.amount")
  })

  it("may have as many fields and items as is said, wherever they are", () => {
    expect(maxParts).toBe(10_000)
    const many = Array.from({ length: maxParts - 1 }, (_, index) => index)
    for (const within of [many, Object.fromEntries(many.map((index) => [`f${index}`, index]))]) {
      expect(codeOf(JSON.stringify({ a: within }))).toBe("read")
      expect(codeOf(JSON.stringify({ a: within, b: 1 }))).toBe("invalid_json")
    }
  })

  it("may be nested as deep as is said", () => {
    expect(maxDepth).toBe(32)
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
    expect(codeOf(nested(maxDepth))).toBe("read")
    expect(codeOf(nested(maxDepth + 1))).toBe("json_too_deep")
  })

  it("is read in time that grows with its length alone", async () => {
    const text = JSON.stringify({
      a: '\\"'.repeat(120_000),
      b: Array.from({ length: 4900 }, (_, index) => ({ index }))
    })
    const millis = await workedMillis(() => {
      expect(codeOf(text)).toBe("read")
    })
    expect(millis).toBeLessThan(500)
  })
})
