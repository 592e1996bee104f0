import { slipsBetween } from "@surety/core/input/slipsBetween"

const mostSlips = 2
const leastPart = 4

/** The known name that was most likely meant: one within two typos, or one that contains the given name. */
export const nearestName = (given: string, known: ReadonlyArray<string>): string | undefined => {
  const word = given.toLowerCase()
  const [nearest] = known
    .map((name) => ({ name, slips: slipsBetween(word, name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)
  if (nearest !== undefined && nearest.slips <= mostSlips) return nearest.name
  return word.length < leastPart ? undefined : known.find((name) => name.toLowerCase().includes(word))
}
