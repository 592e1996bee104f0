import { type Excess, JsonScan, maxDepth, maxParts } from "@surety/http/form/JsonScan"
import { describe, expect, it } from "vitest"

const scan = (text: string, size = text.length): Excess | undefined => {
  const scan = new JsonScan()
  for (let at = 0; at < text.length; at += size) {
    const excess = scan.add(text.slice(at, at + size)) ?? scan.add("")
    if (excess !== undefined) return excess
  }
  return undefined
}

const items = (count: number): string => `[${"0,".repeat(count - 1)}0]`
const fields = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"f${index}":0`).join()}}`

describe("The scan of a JSON text", () => {
  it("has the bounds that merchants are told", () => {
    expect([maxDepth, maxParts]).toEqual([32, 10_000])
  })

  it.each([
    ["items", items],
    ["fields", fields],
    ["empty lists", (count: number) => `[${"[],".repeat(count - 1)}[]]`],
    ["lists of one item", (count: number) => `[${"[0],".repeat(count / 2 - 1)}[0]]`]
  ])("takes 10,000 %s, and no more", (_, make) => {
    expect(scan(make(10_000))).toBeUndefined()
    expect(scan(make(10_002))).toBe("too_many_parts")
  })

  it("counts one part too many", () => {
    expect(scan(items(10_001))).toBe("too_many_parts")
    expect(scan(fields(10_001))).toBe("too_many_parts")
    expect(scan(`{"a":${items(9_999)}}`)).toBeUndefined()
    expect(scan(`{"a":${items(10_000)}}`)).toBe("too_many_parts")
  })

  it("takes lists and objects 32 deep, and no deeper", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"]
    ] as const) {
      const nested = (depth: number) => `${open.repeat(depth)}0${close.repeat(depth)}`
      expect(scan(nested(32))).toBeUndefined()
      expect(scan(nested(33))).toBe("too_deep")
    }
  })

  const inStrings = [
    `"${"[".repeat(100)}"`,
    `"\\"${"[".repeat(100)}"`,
    `"\\\\\\"${"[".repeat(100)}"`,
    `"${"a".repeat(100)}\\"${"[".repeat(100)}"`,
    `"${"\\\\".repeat(60)}\\"${"{".repeat(100)}"`,
    `"${"a".repeat(200)}${"\\".repeat(7)}"${"[".repeat(100)}"`,
    `{"\\"${",".repeat(11_000)}":"${"[0,".repeat(11_000)}"}`
  ]

  it.each(inStrings.map((text) => [text.slice(0, 60), text]))(
    "leaves alone what is in a string, wherever the text is cut: %s…",
    (_, text) => {
      for (const size of [1, 2, 3, 5, 64, 65, 127, text.length]) expect(scan(text, size), `${size}`).toBeUndefined()
    }
  )

  const afterStrings = [
    `["\\\\",${"[".repeat(40)}`,
    `["${"a".repeat(100)}\\\\",${"[".repeat(40)}`,
    `["${"\\\\".repeat(80)}",${"[".repeat(40)}`,
    `["${"\\\\".repeat(80)}\\"",${"[".repeat(40)}`,
    `["","a","\\"",${"[".repeat(40)}`
  ]

  it.each(afterStrings.map((text) => [text.slice(0, 60), text]))(
    "sees what comes after a string, wherever the text is cut: %s…",
    (_, text) => {
      for (const size of [1, 2, 3, 5, 64, 65, 127, text.length]) expect(scan(text, size), `${size}`).toBe("too_deep")
    }
  )
})
