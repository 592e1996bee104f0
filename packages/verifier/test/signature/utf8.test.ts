import { expect, it } from "vitest"
import { utf8 } from "../../src/signature/utf8.js"

const characters = ["a", "é", "₦", "🏺", "\ud83c", "\udffa"]

it("gives what TextEncoder gives, wherever characters of more bytes stand", () => {
  const lengths = [0, 1, 2047, 2048, 2049, 2050, 2051, 5000]
  for (const character of characters) {
    for (const length of lengths) {
      const ascii = "x".repeat(length)
      const texts = [
        ascii,
        character + ascii,
        ascii + character,
        ascii + character + character,
        ascii.slice(0, length / 2) + character + ascii.slice(length / 2),
        character.repeat(length)
      ]
      for (const text of texts) expect(Buffer.from(utf8(text)).equals(new TextEncoder().encode(text))).toBe(true)
    }
  }
})

it("gives memory that holds these bytes alone", () => {
  for (const text of ["x".repeat(5000), "₦".repeat(5000)]) {
    const bytes = utf8(text)
    expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, bytes.length])
  }
})
