import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { alphabet, shapeOnly } from "@surety/core/CheckCharacter"
import * as ConsumerId from "@surety/core/consumer/ConsumerId"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as FixedRandom from "../FixedRandom.js"
import { vectors } from "./ConsumerIdVectors.js"

const parsed = (input: string): string => Result.getOrThrow(ConsumerId.parse(input))

const faultOf = (input: string): ConsumerId.ConsumerIdFault | undefined => {
  const result = ConsumerId.parse(input)
  return Result.isFailure(result) ? result.failure : undefined
}

/** Every white-space character in Unicode, by code point. */
const whiteSpace = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index)
]

describe("a consumer identifier", () => {
  it.each(vectors.accepted.map(({ canonical, input }) => [input, canonical] as const))(
    "is read from %j",
    (input, id) => {
      assert.strictEqual(parsed(input), id)
      assert.strictEqual(parsed(parsed(input)), id, "reading it again changes nothing")
    }
  )

  it.each(vectors.refused.map(({ input, position, reason }) => [input, { reason, position }] as const))(
    "is not read from %j",
    (input, { position, reason }) => {
      const fault = faultOf(input)
      assert.deepStrictEqual({ ...fault }, position === undefined ? { reason } : { reason, position })
      if (fault !== undefined) assert.isNotEmpty(ConsumerId.describeFault(fault))
    }
  )

  it("may have any white space of Unicode anywhere, in canonical and in compact form", () => {
    for (const codePoint of whiteSpace) {
      const space = String.fromCodePoint(codePoint)
      for (const form of ["SR1-K7QM-WX4T-A", "sr1k7qmwx4ta"]) {
        const name = `U+${codePoint.toString(16)}`
        assert.strictEqual(parsed([...form].join(space)), "SR1-K7QM-WX4T-A", name)
        assert.strictEqual(parsed(space + form + space), "SR1-K7QM-WX4T-A", name)
      }
    }
  })

  it("may have any of the hyphen's look-alikes where a hyphen stands, and no other dash", () => {
    for (const codePoint of [0x2d, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212]) {
      const hyphen = String.fromCodePoint(codePoint)
      assert.strictEqual(parsed(["SR1", "K7QM", "WX4T", "A"].join(hyphen)), "SR1-K7QM-WX4T-A")
    }
    for (const other of ["_", "~", "\u00ad", "\u2043", "\ufe58", "\uff0d"]) {
      assert.deepStrictEqual(faultOf(["SR1", "K7QM", "WX4T", "A"].join(other)), { reason: "malformed" })
    }
  })

  it("counts positions in the text as sent, white space and characters beyond the BMP included", () => {
    assert.deepStrictEqual(faultOf("\u00a0 sr1 - k7qm - wx4t - o"), {
      reason: "character_not_allowed",
      position: 23
    })
    assert.deepStrictEqual(faultOf("SR1K7QMWX4😀A"), { reason: "character_not_allowed", position: 11 })
  })

  it("is never guessed: no character outside the alphabet becomes another one", () => {
    const outside = [..."ILOU01ilou", "\u0131", "\u017f", "\u212a", "\uff21", "é", "ß", "*", "~", "$", "="]
    for (const character of outside) {
      assert.deepStrictEqual(faultOf(`SR1-K7QM-WX4T-${character}`), { reason: "character_not_allowed", position: 15 })
      assert.deepStrictEqual(faultOf(`SR1${character}7QMWX4TA`), { reason: "character_not_allowed", position: 4 })
    }
  })

  it("is refused in any length, even an absurd one", () => {
    for (const length of [1, 11, 13, 14, 16, 100_000]) {
      assert.deepStrictEqual(faultOf("SR1K7QMWX4TA".padEnd(length, "A").slice(0, length)), { reason: "malformed" })
    }
    assert.strictEqual(parsed(`SR1K7QMWX4T${" ".repeat(100_000)}A`), "SR1-K7QM-WX4T-A")
  })

  it("is checked by the scheme that a host brings", () => {
    const mistyped = "SR1-K7QM-WX4T-B"
    assert.isTrue(Result.isFailure(ConsumerId.parse(mistyped)))
    assertEquals(ConsumerId.parse(mistyped, shapeOnly), Result.succeed(ConsumerId.ConsumerId.make(mistyped)))
    assert.isTrue(
      Result.isFailure(ConsumerId.parse("SR1-K7QM-WX4T-0", shapeOnly)),
      "the alphabet holds in every scheme"
    )
  })

  it.prop(
    "reads any text without failing otherwise than with a fault",
    [Arbitrary.schema(Schema.String)],
    ([text]) => {
      const result = ConsumerId.parse(text)
      if (Result.isSuccess(result)) assert.isTrue(Schema.is(ConsumerId.ConsumerId)(result.success))
      else assert.isNotEmpty(ConsumerId.describeFault(result.failure))
    },
    { arbitrary: { runs: 500 } }
  )
})

describe("issuing", () => {
  it.effect("draws from the random source alone, so that a test can fix it", () =>
    Effect.gen(function* () {
      const draw = Effect.provide(Effect.all([ConsumerId.next, ConsumerId.nextBusinessCode]), FixedRandom.layer(11, 29))
      const [id, code] = yield* draw
      assertEquals(yield* draw, [id, code])
      assert.strictEqual(parsed(id), id)
      assert.match(code, /^SRM-/u)
      const others = yield* Effect.provide(ConsumerId.next, FixedRandom.layer(12, 31))
      assert.notStrictEqual(others, id)
    })
  )

  it.effect("passes over payloads that are not usable", () =>
    Effect.gen(function* () {
      // A payload takes eight draws. The first eight all give `2`, the first character of the alphabet. But 22222222
      // has no check character, so the payload is drawn again.
      let draws = 0
      const source = SecureRandom.make((size) => {
        draws += 1
        return draws <= 8 ? new Uint8Array(size) : new Uint8Array(size).fill(0x1f)
      })
      const id = yield* Effect.provideService(ConsumerId.next, SecureRandom.SecureRandom, source)
      assert.strictEqual(draws, 16)
      assert.strictEqual(parsed(id), id)
    })
  )

  it.effect("makes 10,000 different valid identifiers of all 30 characters, and as many business codes", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.replicateEffect(ConsumerId.next, 10_000)
      assert.strictEqual(new Set(ids).size, 10_000)
      assert.deepStrictEqual(ids.map(parsed), ids)
      assert.strictEqual(new Set(ids.flatMap((id) => [...id.slice(4, 13).replace("-", "")])).size, alphabet.length)
      const codes = yield* Effect.replicateEffect(ConsumerId.nextBusinessCode, 1_000)
      assert.strictEqual(new Set(codes).size, 1_000)
      for (const code of codes) {
        assert.deepStrictEqual(faultOf(code), { reason: "merchant_code" })
        assert.strictEqual(parsed(code.replace("SRM", "SR1")), code.replace("SRM", "SR1"), "same alphabet and check")
      }
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )
})
