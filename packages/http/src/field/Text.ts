import { Schema } from "effect"

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000

/** Counts no further than it must, and makes nothing of each character: a text may have twelve million. */
const hasAtMost = (text: string, characters: number): boolean => {
  let tooMany = text.length - characters
  for (let index = 1; tooMany > 0 && index < text.length; index += 1) {
    if (!isHigh(text.charCodeAt(index - 1)) || !isLow(text.charCodeAt(index))) continue
    tooMany -= 1
    index += 1
  }
  return tooMany <= 0
}

/** Lengths are counted in Unicode code points, as JSON Schema does: an emoji of one code point is one. */
export const atMost = (characters: number) =>
  Schema.makeFilter((text: string) => hasAtMost(text, characters), {
    expected: `a text of at most ${characters} characters`,
    code: "too_long",
    toJsonSchema: () => ({ maxLength: characters })
  })

/** At least so many, counted likewise. */
export const atLeast = (characters: number) =>
  Schema.isMinCodePoints(characters, {
    expected: `a text of at least ${characters} ${characters === 1 ? "character" : "characters"}`,
    code: "too_short"
  })

/** A text of at most so many characters. It may be empty. */
export const text = (characters: number) => Schema.String.check(atMost(characters))

const isNotBlank = Schema.makeFilter((value: string) => value.trim() !== "", {
  expected: "a text that is not blank",
  code: "blank",
  toJsonSchema: () => ({ pattern: "\\S" })
})

/** A text that says something, of at most so many characters. */
export const filledText = (characters: number) => Schema.String.check(isNotBlank, atMost(characters))

/** A text of 1 to so many characters. */
export const identifierText = (characters: number) => Schema.String.check(atLeast(1), atMost(characters))
