import { type Excess, JsonScan, maxDepth, maxParts } from "@surety/http/form/JsonScan"
import { describe, expect, it } from "vitest"

const scanBytes = (bytes: Uint8Array, size: number): Excess | undefined => {
  const scan = new JsonScan()
  for (let at = 0; at < bytes.length; at += size) {
    const excess = scan.add(bytes.subarray(at, at + size)) ?? scan.add(new Uint8Array(0))
    if (excess !== undefined) return excess
  }
  return scan.endsWhole ? undefined : "not_utf8"
}

const scan = (text: string, size = 64 * 1024): Excess | undefined => scanBytes(new TextEncoder().encode(text), size)

const items = (count: number): string => `[${"0,".repeat(count - 1)}0]`
const fields = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"f${index}":0`).join()}}`

describe("The scan of a JSON text", () => {
  it("has the documented bounds", () => {
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

  const texts = [
    "plain",
    "é",
    "Ọlá ń kọ́",
    "漢字かな",
    "a😀b😀",
    "\ufeffmark",
    "\u007f\u0080\u07ff\u0800\ud7ff\ue000\uffff",
    "\u{10000}\u{10ffff}"
  ]

  it.each(texts)("takes UTF-8 in a string and beside it, wherever the text is cut: %j", (text) => {
    for (const whole of [text, `"${text}"`, `["\\\\${text}","${text}\\""]`, `"\\${text}"`]) {
      for (let size = 1; size <= 7; size += 1) expect(scan(whole, size), `${size}`).toBeUndefined()
    }
    for (let size = 1; size <= 7; size += 1) {
      expect(scan(`["${text}",${"[".repeat(40)}`, size), `${size}`).toBe("too_deep")
    }
  })

  const noUtf8: ReadonlyArray<ReadonlyArray<number>> = [
    [0xff],
    [0x80],
    [0xc3],
    [0xc3, 0x41],
    [0xc0, 0xaf],
    [0xc1, 0xbf],
    [0xe0, 0x9f, 0xbf],
    [0xe2, 0x82],
    [0xe2, 0x61, 0x82],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf0, 0x9f, 0x98],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0x80, 0x80, 0x80, 0x80, 0x80]
  ]

  it.each(noUtf8.map((bytes) => [bytes]))("refuses what is not UTF-8, wherever it is cut: %o", (bytes) => {
    const [quote, backslash] = [0x22, 0x5c]
    for (const whole of [bytes, [quote, ...bytes, quote], [quote, backslash, ...bytes], [0x5b, ...bytes, 0x5d]]) {
      for (let size = 1; size <= 4; size += 1) expect(scanBytes(Uint8Array.from(whole), size)).toBe("not_utf8")
    }
  })

  it("agrees with the decoder of the platform on any three bytes in a string", () => {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    const isText = (bytes: Uint8Array): boolean => {
      try {
        decoder.decode(bytes)
        return true
      } catch {
        return false
      }
    }
    const edges = [
      0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0,
      0xf1, 0xf3, 0xf4, 0xf5, 0xff
    ]
    for (const a of edges)
      for (const b of edges)
        for (const c of edges) {
          const bytes = Uint8Array.of(0x22, a, b, c, 0x80, 0x22)
          expect(scanBytes(bytes, 2) === undefined, `${[a, b, c]}`).toBe(isText(bytes))
        }
  })
})
