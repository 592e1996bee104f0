import { describe, expect, it } from "vitest"
import { amountOf, amountOfMinor, minorOf, UsageError } from "../src/index.js"

describe("an amount", () => {
  it.each([
    ["2500.50", 2500.5],
    ["0.1", 0.1],
    ["1000", 1000],
    ["0000.10", 0.1],
    ["9999999999999.99", 9999999999999.99]
  ])("of the text %s is %d", (text, amount) => expect(amountOf(text)).toBe(amount))

  it.each([
    "",
    "1e3",
    "-1",
    "+1",
    "1,000",
    ".5",
    "5.",
    "١٢",
    " 1",
    "0x10",
    "NaN",
    "9999999999999999",
    "0.12345678901234567"
  ])("is not read from %j", (text) => expect(() => amountOf(text)).toThrow(UsageError))

  it.each([
    [250050n, 2, 2500.5],
    [5n, 2, 0.05],
    [0n, 2, 0],
    [500n, 0, 500],
    [1n, 3, 0.001],
    [999_999_999_999_999n, 2, 9_999_999_999_999.99]
  ])("of %d minor units with %i decimals is %d, and back", (minor, decimals, amount) => {
    expect(amountOfMinor(minor, decimals)).toBe(amount)
    expect(minorOf(amount, decimals)).toBe(minor)
  })

  it("of every number of minor units comes back, where sums of floats would not", () => {
    for (let minor = 1n; minor < 10n ** 15n; minor = minor * 3n + 1n) {
      expect(minorOf(amountOfMinor(minor, 2), 2)).toBe(minor)
    }
    expect(() => minorOf(0.1 + 0.2, 2)).toThrow(UsageError)
    expect(minorOf(0.1, 2) + minorOf(0.2, 2)).toBe(30n)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1e21, 1e-7, 2500.505])(
    "%d has no minor units of two decimals",
    (amount) => expect(() => minorOf(amount, 2)).toThrow(UsageError)
  )

  it("of less than nothing is none", () => {
    expect(() => amountOfMinor(-5n, 2)).toThrow(UsageError)
    expect(() => amountOfMinor(10n ** 15n, 2)).toThrow(UsageError)
  })
})
