import { assert, describe, it } from "@effect/vitest"
import * as BirthDate from "@surety/core/kyc/command/BirthDate"

describe("A date of birth", () => {
  it("is read year first, or day first with slashes or hyphens", () => {
    for (const text of ["1990-02-28", "28/02/1990", "28-02-1990"]) {
      assert.strictEqual(BirthDate.parse(text), "1990-02-28", text)
    }
    assert.strictEqual(BirthDate.parse("03/04/1990"), "1990-04-03", "the day comes first")
  })

  it("is a day that the calendar has", () => {
    for (const text of [
      "2000-02-29",
      "1996-02-29",
      "29/02/2024",
      "1990-12-31",
      "1990-04-30",
      "1990-01-01",
      "01/01/1990"
    ]) {
      assert.isDefined(BirthDate.parse(text), text)
    }
    for (const text of [
      "1900-02-29",
      "1990-02-29",
      "30/02/2024",
      "31-04-1990",
      "1990-13-01",
      "1990-00-10",
      "00/01/1990"
    ]) {
      assert.isUndefined(BirthDate.parse(text), text)
    }
  })

  it("is no other text", () => {
    for (const text of [
      "",
      "1990",
      "yesterday",
      "1990/01/01",
      "01.01.1990",
      "1/1/1990",
      "01/01-1990",
      "01-01-90",
      "1990-1-1",
      " 1990-01-01",
      " 01/01/1990",
      "01/01/1990 ",
      "01/01/19901",
      "1990-01-01T00:00:00Z",
      "１９９０-01-01"
    ]) {
      assert.isUndefined(BirthDate.parse(text), text)
    }
  })
})
