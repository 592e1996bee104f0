import { assert, describe, it } from "@effect/vitest"
import * as ZonedTimes from "@surety/page-kit/words/ZonedTimes"
import { DateTime } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)

describe("Times of a zone", () => {
  it("find when a written day begins and ends there, also on the day that summer time begins", () => {
    const boundsIn = (zone: string, day: string) => {
      const bounds = ZonedTimes.make(zone).daysBounds(day)
      return bounds && [bounds.begin, bounds.end].map(DateTime.formatIso)
    }
    assert.deepStrictEqual(boundsIn("Africa/Lagos", "2026-11-22"), [
      "2026-11-21T23:00:00.000Z",
      "2026-11-22T23:00:00.000Z"
    ])
    assert.deepStrictEqual(boundsIn("Europe/Berlin", "2026-03-29"), [
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z"
    ])
    for (const none of ["", "yesterday", "2026-13-01", "2026-02-30", "2027-02-29", "2026-11-22T00:00"]) {
      assert.isUndefined(boundsIn("Africa/Lagos", none), none)
    }
  })

  it("have their day in a timeline where the day changes in the zone", () => {
    const { inTimeline } = ZonedTimes.make("Africa/Lagos")
    const evening = at("2026-11-22T22:59:00Z")
    const night = at("2026-11-22T23:00:00Z")
    assert.include(String(inTimeline(evening, undefined)), "22 Nov 2026, 23:59:00.000")
    assert.include(String(inTimeline(night, evening)), "23 Nov 2026, 00:00:00.000")
    assert.include(String(inTimeline(at("2026-11-23T09:00:00Z"), night)), ">10:00:00.000<")
  })
})
