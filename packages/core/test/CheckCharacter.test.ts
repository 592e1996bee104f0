import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { alphabet, crockford, shapeOnly } from "@surety/core/CheckCharacter"
import { Effect, Option, Random } from "effect"
import { vectors } from "./consumer/ConsumerIdVectors.js"

const swapped = (text: string, first: number, second: number): string => {
  const characters = [...text]
  const [a = "", b = ""] = [characters[first], characters[second]]
  characters[first] = b
  characters[second] = a
  return characters.join("")
}

const replaced = (text: string, position: number, character: string): string =>
  text.slice(0, position) + character + text.slice(position + 1)

const accepts = (nine: string): boolean => crockford.accepts(nine.slice(0, 8), nine.slice(8))

const identifiers = Effect.fnUntraced(function* (count: number) {
  const found: Array<string> = []
  while (found.length < count) {
    let payload = ""
    while (payload.length < 8) payload += alphabet.charAt(yield* Random.nextIntBetween(0, 30, { halfOpen: true }))
    const check = crockford.checkCharacter(payload)
    if (Option.isSome(check)) found.push(payload + check.value)
  }
  return found
}, Random.withSeed("check characters"))

describe("the alphabet", () => {
  it("has the 30 characters of the contract", () => {
    assert.strictEqual(alphabet, vectors.alphabet)
    assert.strictEqual(new Set(alphabet).size, 30)
  })
})

describe("Crockford's check character", () => {
  it.each(vectors.checkCharacters.map(({ check, payload }) => [payload, check] as const))(
    "of %s is %s",
    (payload, check) => {
      assertEquals(crockford.checkCharacter(payload), Option.fromNullOr(check))
      const accepted = [...alphabet].filter((character) => crockford.accepts(payload, character))
      assert.deepStrictEqual(accepted, check === null ? [] : [check], "no other character is accepted")
    }
  )

  it("is none for a string with other characters than Crockford's digits", () => {
    for (const payload of ["ABCDEFGI", "ABCDEFGO", "abcdefgh", "ABCD-EFG"]) {
      assertEquals(crockford.checkCharacter(payload), Option.none())
    }
  })

  it.effect("catches every wrong character and every swap of two different ones, at any distance", () =>
    Effect.gen(function* () {
      let wrong = 0
      for (const nine of yield* identifiers(1_000)) {
        assert.isTrue(accepts(nine))
        for (let position = 0; position < 9; position += 1) {
          for (const character of alphabet) {
            if (character !== nine[position] && accepts(replaced(nine, position, character))) wrong += 1
          }
          for (let other = position + 1; other < 9; other += 1) {
            if (nine[position] !== nine[other] && accepts(swapped(nine, position, other))) wrong += 1
          }
        }
      }
      assert.strictEqual(wrong, 0)
    })
  )

  it("makes about 81 % of payloads usable", () => {
    let usable = 0
    for (const a of alphabet) {
      for (const b of alphabet) {
        for (const c of alphabet) if (Option.isSome(crockford.checkCharacter(`HJKMN${a}${b}${c}`))) usable += 1
      }
    }
    assert.closeTo(usable / 30 ** 3, 30 / 37, 0.01)
  })
})

describe("the shape alone", () => {
  it("accepts every check character, and issues as Crockford does", () => {
    assert.isTrue([...alphabet].every((character) => shapeOnly.accepts("K7QMWX4T", character)))
    assertEquals(shapeOnly.checkCharacter("K7QMWX4T"), Option.some("A"))
    assertEquals(shapeOnly.checkCharacter("22222222"), Option.none())
  })
})
