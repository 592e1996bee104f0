import { describe, expect, it } from "vitest"
import { isBounded } from "../src/body/isBounded.js"

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

describe("the bounds of a JSON text", () => {
  it.each([
    ["[", "]"],
    ["{", "}"]
  ])("allow 64 levels of %s%s and not one more", (open, close) => {
    expect(isBounded(nested(64, open, close))).toBe(true)
    expect(isBounded(nested(65, open, close))).toBe(false)
  })

  it("count levels, which end with their brackets", () => {
    expect(isBounded("[]".repeat(1_000))).toBe(true)
    expect(isBounded("{}".repeat(1_000))).toBe(true)
  })

  it("allow 100,000 brackets and commas and not one more", () => {
    expect(isBounded(`[${",".repeat(99_999)}`)).toBe(true)
    expect(isBounded(`[${",".repeat(100_000)}`)).toBe(false)
    expect(isBounded("[]".repeat(100_000))).toBe(true)
    expect(isBounded("{}".repeat(100_001))).toBe(false)
    expect(isBounded(",".repeat(100_001))).toBe(false)
  })

  it("look for none of it in a string", () => {
    const text = "[".repeat(65) + ",".repeat(100_001)
    expect(isBounded(`"${text}"`)).toBe(true)
    expect(isBounded(`"\\"${text}"`)).toBe(true)
    expect(isBounded(`""${text}`)).toBe(false)
    expect(isBounded(`"\\\\"${text}`)).toBe(false)
    expect(isBounded(`"${text}`)).toBe(true)
  })
})
