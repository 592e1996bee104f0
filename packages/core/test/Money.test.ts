import { assert, describe, it } from "@effect/vitest"
import { assertEquals } from "@effect/vitest/utils"
import { type Currency, fromCode, NGN } from "@surety/core/Currency"
import * as Money from "@surety/core/Money"
import { Arbitrary, Result, Schema } from "effect"

const currency = (code: string): Currency => fromCode(code) ?? assert.fail(`ISO 4217 has ${code}`)

const minorOf = (amount: number, code = "NGN"): bigint | Money.AmountFault => {
  const money = Money.fromNumber(amount, currency(code))
  return Result.isSuccess(money) ? money.success.minor : money.failure
}

const minorUnits = Arbitrary.map(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number(Money.maxMinor) }))),
  BigInt
)

describe("an amount on the wire", () => {
  it.each([
    [2500.5, "NGN", 250_050n],
    [0.01, "NGN", 1n],
    [1, "NGN", 100n],
    [1.1, "NGN", 110n],
    [0.29, "NGN", 29n],
    [1.005e3, "NGN", 100_500n],
    [9_999_999_999_999.99, "NGN", 999_999_999_999_999n],
    [1, "JPY", 1n],
    [999_999_999_999_999, "JPY", 999_999_999_999_999n],
    [1.234, "KWD", 1_234n],
    [999_999_999_999.999, "KWD", 999_999_999_999_999n],
    [1.2345, "CLF", 12_345n],
    [1e-4, "CLF", 1n],
    [99_999_999_999.9999, "UYW", 999_999_999_999_999n]
  ] as const)("of %d %s is %d minor units", (amount, code, minor) => {
    assert.strictEqual(minorOf(amount, code), minor)
  })

  it.each([
    [0, "NGN", "not_positive"],
    [-0, "NGN", "not_positive"],
    [-1, "NGN", "not_positive"],
    [Number.NaN, "NGN", "not_positive"],
    [Number.NEGATIVE_INFINITY, "NGN", "not_positive"],
    [Number.POSITIVE_INFINITY, "NGN", "too_large"],
    [1e21, "NGN", "too_large"],
    [1.5e300, "NGN", "too_large"],
    [Number.MAX_VALUE, "JPY", "too_large"],
    [10_000_000_000_000, "NGN", "too_large"],
    [1e15, "JPY", "too_large"],
    [1e12, "KWD", "too_large"],
    [0.001, "NGN", "too_precise"],
    [2500.555, "NGN", "too_precise"],
    [0.1 + 0.2, "NGN", "too_precise"],
    [1e-7, "NGN", "too_precise"],
    [1.5e-7, "CLF", "too_precise"],
    [5e-324, "NGN", "too_precise"],
    [Number.MIN_VALUE, "CLF", "too_precise"],
    [0.5, "JPY", "too_precise"],
    [1.2345, "KWD", "too_precise"]
  ] as const)("of %d %s is refused as %s", (amount, code, fault) => {
    assert.strictEqual(minorOf(amount, code), fault)
  })

  it.prop(
    "is the same after a round trip through JSON, for every amount and number of decimals",
    { minor: minorUnits, code: Arbitrary.schema(Schema.Literals(["NGN", "JPY", "KWD", "CLF"])) },
    ({ code, minor }) => {
      const money = { currency: currency(code), minor }
      const wire: unknown = JSON.parse(JSON.stringify(Money.toNumber(money)))
      assertEquals(Money.fromNumber(Number(wire), money.currency), Result.succeed(money))
    },
    { arbitrary: { runs: 1_000 } }
  )

  it.prop(
    "is read to the minor unit, with any decimals behind it",
    [minorUnits, Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))],
    ([minor, digit]) => {
      // Up to a billion naira, a third decimal still changes the floating-point number, so it is detected.
      const small = (minor % 100_000_000_000n) + 1n
      const text = Money.format({ currency: NGN, minor: small })
      assert.strictEqual(minorOf(Number(text)), small)
      assert.strictEqual(minorOf(Number(`${text}${digit}`)), "too_precise")
    },
    { arbitrary: { runs: 300 } }
  )
})

describe("an amount as text", () => {
  it.each([
    ["NGN", 250_050n, "2500.50"],
    ["NGN", 0n, "0.00"],
    ["NGN", 5n, "0.05"],
    ["NGN", 50n, "0.50"],
    ["NGN", -5n, "-0.05"],
    ["JPY", -5n, "-5"],
    ["NGN", 999_999_999_999_999n, "9999999999999.99"],
    ["JPY", 0n, "0"],
    ["JPY", 250_050n, "250050"],
    ["KWD", 1n, "0.001"],
    ["CLF", 12_345n, "1.2345"]
  ] as const)("in %s, %d minor units, is %s", (code, minor, text) => {
    assert.strictEqual(Money.format({ currency: currency(code), minor }), text)
  })
})

describe("an amount inside", () => {
  it("has 0 to 15 digits", () => {
    const isAmount = Schema.is(Money.AmountMinor)
    assert.isTrue(isAmount(0n) && isAmount(Money.maxMinor))
    assert.isFalse(isAmount(-1n) || isAmount(Money.maxMinor + 1n))
  })
})
