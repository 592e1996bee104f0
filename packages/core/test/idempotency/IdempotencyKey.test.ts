import { describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { IdempotencyKey, parse } from "@surety/core/idempotency/IdempotencyKey"
import { Result } from "effect"

const valid = (text: string) => Result.succeed(IdempotencyKey.make(text))
const invalid = Result.fail("invalid" as const)

describe("an Idempotency-Key header", () => {
  it.each([
    ["order-1001", "order-1001"],
    ["8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"],
    ["  order-1001\t", "order-1001"],
    ["two words", "two words"],
    ["!~'{}|;,=", "!~'{}|;,="],
    ["x", "x"],
    ["x".repeat(255), "x".repeat(255)]
  ])("%j names the key %j", (header, key) => {
    assertEquals(parse(header), valid(key))
  })

  it.each([
    ['"order-1001"', "order-1001"],
    [' "order-1001" ', "order-1001"],
    ['"two words"', "two words"],
    ['"say \\"hi\\""', 'say "hi"'],
    ['"back\\\\slash"', "back\\slash"],
    [`"${"x".repeat(255)}"`, "x".repeat(255)]
  ])("%j, quoted as in the IETF draft, names the same key as %j", (header, bare) => {
    assertEquals(parse(header), valid(bare))
    assertEquals(parse(bare), valid(bare))
  })

  it.each([['"'], ['"open'], ['close"'], ['in"between'], ['a"b"c'], ['"a"b"'], ['"bad\\escape"']])(
    "%j is no quoted form, and is taken as it stands",
    (header) => {
      assertEquals(parse(header), valid(header))
    }
  )

  it.each([['"k";a=1'], ['"k";a'], ['"k" ; a=1'], ['"k\\"";a=1'], ['"k", "l"'], ['"k","k"'], ['"";a=1']])(
    "%j is refused: a reader of the draft takes it for another key",
    (header) => {
      assertEquals(parse(header), invalid)
    }
  )

  it.each([
    [""],
    ["   "],
    ['""'],
    ["x".repeat(256)],
    [`"${"x".repeat(256)}"`],
    ["schlüssel"],
    ['"schlüssel"'],
    ["tab\tinside"],
    ['"tab\tinside"'],
    ["line\nbreak"],
    ["nul\u0000"],
    ["del\u007f"],
    ["\u00a0order-1001"],
    ["order-1001\ufeff"],
    ["🔑"]
  ])("%j is invalid", (header) => {
    assertEquals(parse(header), invalid)
  })
})
