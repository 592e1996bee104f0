import { assert, describe, it } from "@effect/vitest"
import { atMost, Moment } from "@surety/core/input/Text"
import { DateTime, Schema } from "effect"

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

describe("A time in a request", () => {
  const decode = Schema.decodeUnknownSync(Moment)

  it.each([
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["2026-12-31T23:59:59.123456789Z", "2026-12-31T23:59:59.123Z"],
    ["2026-03-01t00:30:00z", "2026-03-01T00:30:00.000Z"],
    ["2026-03-01T00:30:00+01:00", "2026-02-28T23:30:00.000Z"],
    ["2026-03-01T00:30:00-23:59", "2026-03-02T00:29:00.000Z"]
  ])("is read: %s", (sent, expected) => {
    assert.strictEqual(DateTime.formatIso(decode(sent)), expected)
  })

  it.each([
    "2027-02-29T00:00:00Z",
    "2027-02-30T00:00:00Z",
    "2027-02-30t00:00:00.5+01:00",
    "2100-02-29T00:00:00Z",
    "2027-04-31T00:00:00Z",
    "2027-01-32T00:00:00Z",
    "2027-01-00T00:00:00Z",
    "2027-13-01T00:00:00Z",
    "2027-00-01T00:00:00Z",
    "2027-01-01T24:00:00Z",
    "2027-01-01T25:00:00Z",
    "2027-01-01T00:60:00Z",
    "2027-01-01T00:00:60Z",
    "2027-01-01T00:00:00+24:00",
    "2027-01-01T00:00:00+01:60",
    "2027-01-01",
    "2027-01-01T00:00:00"
  ])("is refused if it does not exist or is malformed: %s", (sent) => {
    assert.throws(() => decode(sent), /Expected an existing date and time with its offset/u)
  })
})
