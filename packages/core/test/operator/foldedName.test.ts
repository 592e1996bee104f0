import { isSameOperator } from "@surety/core/operator/approval/Proposal"
import { foldedName } from "@surety/core/operator/Operator"
import { describe, expect, it } from "vitest"

describe("foldedName", () => {
  it("makes A to Z small, and leaves every other letter as it is", () => {
    expect(foldedName("Ada.OBI-7_ỌLÁ")).toBe("ada.obi-7_ỌlÁ")
    expect(foldedName("\u212a")).toBe("\u212a")
    expect(foldedName("İ")).toBe("İ")
  })

  it("says who is the same operator", () => {
    expect(isSameOperator("Ada", "aDA")).toBe(true)
    expect(isSameOperator("ada", "adaa")).toBe(false)
    expect(isSameOperator("\u212aate", "kate")).toBe(false)
    expect(isSameOperator("Ọla", "ọla")).toBe(false)
  })
})
