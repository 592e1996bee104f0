import { assert, describe, it } from "@effect/vitest"
import { codes, decimals, fromCode, NGN } from "@surety/core/Currency"

/**
 * Currencies that some versions of Intl round to whole units, because their minor units are rarely used. The API
 * follows ISO 4217, so it keeps the minor units.
 */
const roundedInUse = new Set([
  ..."AFN ALL AMD COP HUF IDR IRR KPW LAK LBP MGA MMK PKR RSD SOS SYP TZS UZS YER IQD".split(" ")
])

/** Codes that Intl knows but the table omits: retired currencies, and the units of account XDR and XSU. */
const notActive = new Set("CUC HRK SLL ZWL XDR XSU".split(" "))

const intlDecimals = (code: string): number | undefined =>
  new Intl.NumberFormat("en", { style: "currency", currency: code }).resolvedOptions().maximumFractionDigits

const intlCodes = new Set(Intl.supportedValuesOf("currency"))

const table = codes().flatMap((code) => fromCode(code) ?? [])

describe("a currency", () => {
  it("has as many decimals as Intl says, but for those that are rounded in use", () => {
    const differing = table.filter((code) => intlCodes.has(code) && intlDecimals(code) !== decimals(code))
    assert.deepStrictEqual(
      differing.filter((code) => !roundedInUse.has(code)),
      []
    )
    assert.isAbove(table.filter((code) => intlCodes.has(code)).length, 140, "the comparison compares something")
  })

  it("is in the table when Intl knows it, but for those that are not active", () => {
    const missing = [...intlCodes].filter((code) => fromCode(code) === undefined)
    assert.deepStrictEqual(
      missing.filter((code) => !notActive.has(code)),
      []
    )
  })

  it("stands once in the table", () => {
    assert.strictEqual(new Set(codes()).size, codes().length)
    assert.strictEqual(table.length, codes().length)
  })

  it("is read in any letter case", () => {
    assert.deepStrictEqual(["NGN", "ngn", "nGn"].map(fromCode), [NGN, NGN, NGN])
  })

  it.each(["", "NG", "NGNN", " NGN", "NGN ", "N GN", "XXX", "XTS", "XAU", "BTC", "₦", "566", "uſd", "ınr", "ＮＧＮ"])(
    "is not read from %j",
    (code) => {
      assert.isUndefined(fromCode(code))
    }
  )
})
