import { Utf8Pieces } from "@surety/http/form/Utf8Pieces"
import { describe, expect, it } from "vitest"

const cut = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

const decode = (pieces: ReadonlyArray<Uint8Array>): string => {
  const decoder = new Utf8Pieces()
  const text = pieces.map((piece) => decoder.add(piece)).join("")
  decoder.end()
  return text
}

const texts = [
  "",
  "plain",
  "é",
  "Ọlá ń kọ́",
  "漢字かな",
  "a😀b😀",
  "\ufeffmark",
  "a\ufeffb",
  "\u0000\u007f\u0080\u07ff\u0800\uffff"
]

describe("UTF-8 in pieces", () => {
  it.each(texts)("is the text that it is as a whole, wherever it is cut: %j", (text) => {
    const bytes = new TextEncoder().encode(text)
    const whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    for (let size = 1; size <= 7; size += 1) expect(decode(cut(bytes, size))).toBe(whole)
  })

  it.each([
    [[0xff]],
    [[0x80]],
    [[0x61, 0xc3]],
    [[0xe2, 0x82]],
    [[0xf0, 0x9f, 0x98]],
    [[0xed, 0xa0, 0x80]],
    [[0xc0, 0xaf]],
    [[0xf5, 0x80, 0x80, 0x80]],
    [[0x80, 0x80, 0x80, 0x80, 0x80]],
    [[0xe2, 0x61, 0x82]]
  ])("is refused where it is none, wherever it is cut: %o", (bytes) => {
    for (let size = 1; size <= 4; size += 1) expect(() => decode(cut(Uint8Array.from(bytes), size))).toThrow()
  })
})
