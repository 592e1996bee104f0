import { Schema } from "effect"

/** Lengths are counted in Unicode code points, as JSON Schema does: an emoji of one code point is one. */
export const atMost = (characters: number) => Schema.isMaxCodePoints(characters, { code: "too_long" })

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
export const identifierText = (characters: number) =>
  Schema.String.check(Schema.isMinCodePoints(1, { code: "too_short" }), atMost(characters))
