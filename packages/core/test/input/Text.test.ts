import { assert, describe, it } from "@effect/vitest"
import { atMost } from "@surety/core/input/Text"
import { Schema } from "effect"

const isAtMost = (text: string, characters: number): boolean => Schema.is(Schema.String.check(atMost(characters)))(text)

describe("The greatest length of a string", () => {
  it("counts code points: a pair of halves as one, a lone half as one", () => {
    for (const text of [
      "",
      "a",
      "😀",
      "a😀",
      "😀a",
      "😀😀",
      "\ud83d",
      "\ude00",
      "\ude00\ud83d",
      "\ud83d\ud83d\ude00"
    ]) {
      const count = [...text].length
      assert.isTrue(isAtMost(text, count), JSON.stringify(text))
      if (count > 0) assert.isFalse(isAtMost(text, count - 1), JSON.stringify(text))
    }
  })

  it("counts them in long texts too, however far apart and between lone halves", () => {
    const parts = [
      "😀",
      "\ude00",
      "\ud83da",
      "a".repeat(1_022),
      "a".repeat(1_023),
      "a".repeat(1_024),
      "ọ".repeat(3_000)
    ]
    for (const first of parts) {
      for (const second of parts) {
        for (const third of parts) {
          const text = `${first}😀${second}${third}😀${first}${second}`
          const count = [...text].length
          assert.deepStrictEqual([isAtMost(text, count), isAtMost(text, count - 1)], [true, false])
        }
      }
    }
  })
})
