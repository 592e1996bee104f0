import { FirstKeys } from "@surety/http/form/FirstKeys"
import { expect, it } from "vitest"
import { workedMillis } from "../workedMillis.js"

const every = (count: number) => Array.from({ length: count }, (_, index) => index)

it.each([1, 8, 9, 32, 33, 10_000])("the first of %s keys of each hash is found again", (count) => {
  const hashes = every(count).map((index) => Math.imul(index, 0x9e3779b1))
  const keys = new FirstKeys()
  const added = hashes.map((hash, index) => keys.firstOrAdd(hash, index + 1))
  expect(added.filter((first) => first !== undefined)).toEqual([])
  const found = hashes.map((hash) => keys.firstOrAdd(hash, 99_999))
  expect(found).toEqual(every(count).map((index) => index + 1))
})

it("hashes that differ in their highest or lowest bits alone are kept apart without a search", async () => {
  for (const step of [1, 1 << 10, 1 << 18]) {
    const millis = await workedMillis(() => {
      for (let round = 0; round < 20; round += 1) {
        const keys = new FirstKeys()
        for (const index of every(10_000)) keys.firstOrAdd(Math.imul(index, step), index + 1)
      }
    })
    // A linear search would take 50,000,000 comparisons each time.
    expect(millis).toBeLessThan(500)
  }
})
