import { assert, it } from "@effect/vitest"
import { nearestName, slipsBetween } from "@surety/core/input/nearestName"

it.each([
  ["", "", 0],
  ["wallet", "wallet", 0],
  ["walet", "wallet", 1],
  ["walllet", "wallet", 1],
  ["wollet", "wallet", 1],
  ["wlalet", "wallet", 2],
  ["", "abc", 3],
  ["😀", "😀", 0],
  ["😀", "", 1],
  ["wal😀let", "wallet", 1],
  ["😀😀", "😃😀", 1]
])("%o and %o are %i slips apart", (one, other, slips) => {
  assert.strictEqual(slipsBetween(one, other), slips)
  assert.strictEqual(slipsBetween(other, one), slips)
})

it.each([
  ["walet", "wallet"],
  ["WALLET", "wallet"],
  ["direct", "directory"],
  ["dir", undefined],
  ["😀😀", undefined],
  ["purchases", undefined]
])("%o was meant as %o", (given, meant) => {
  assert.strictEqual(nearestName(given, ["wallet", "directory", "a😀😀a-page"]), meant)
})
