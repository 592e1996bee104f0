import { describe, expect, it } from "vitest"
import { isBoundedJson } from "../../src/body/isBoundedJson.js"

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

describe("the bounds of a JSON text", () => {
  it.each([
    ["[", "]"],
    ["{", "}"]
  ])("allow 64 levels of %s%s and not one more", (open, close) => {
    expect(isBoundedJson(nested(64, open, close))).toBe(true)
    expect(isBoundedJson(nested(65, open, close))).toBe(false)
  })

  it("count levels, which end with their brackets", () => {
    expect(isBoundedJson("[]".repeat(1_000))).toBe(true)
    expect(isBoundedJson("{}".repeat(1_000))).toBe(true)
  })

  it("allow 100,000 brackets and commas and not one more", () => {
    expect(isBoundedJson(`[${",".repeat(99_999)}`)).toBe(true)
    expect(isBoundedJson(`[${",".repeat(100_000)}`)).toBe(false)
    expect(isBoundedJson("[]".repeat(100_000))).toBe(true)
    expect(isBoundedJson("{}".repeat(100_001))).toBe(false)
    expect(isBoundedJson(",".repeat(100_001))).toBe(false)
  })

  it("count nothing else", () => {
    expect(isBoundedJson(`[${" 1.5e3 true null : ".repeat(10_000)}]`)).toBe(true)
  })

  it("look for none of it in a string", () => {
    const text = "[".repeat(65) + ",".repeat(100_001)
    expect(isBoundedJson(`"${text}"`)).toBe(true)
    expect(isBoundedJson(`"\\"${text}"`)).toBe(true)
    expect(isBoundedJson(`""${text}`)).toBe(false)
    expect(isBoundedJson(`"\\\\"${text}`)).toBe(false)
    expect(isBoundedJson(`"${text}`)).toBe(true)
  })
})
