import { assert, it } from "@effect/vitest"
import { slipsBetween } from "@surety/core/input/nearestName"

it.each([
  ["", "", 0],
  ["wallet", "wallet", 0],
  ["walet", "wallet", 1],
  ["walllet", "wallet", 1],
  ["wollet", "wallet", 1],
  ["wlalet", "wallet", 2],
  ["", "abc", 3]
])("%o and %o are %i slips apart", (one, other, slips) => {
  assert.strictEqual(slipsBetween(one, other), slips)
  assert.strictEqual(slipsBetween(other, one), slips)
})
