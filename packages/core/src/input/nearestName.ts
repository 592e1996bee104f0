/**
 * Returns the Levenshtein distance: the minimum number of code points to insert, delete or replace to turn one word
 * into the other.
 */
export const slipsBetween = (one: string, other: string): number => {
  const letters = [...other]
  let row = Array.from({ length: letters.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (const [column, above] of row.slice(1).entries()) {
      const changed = (row[column] ?? 0) + (letter === letters[column] ? 0 : 1)
      next.push(Math.min(changed, above + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const mostSlips = 2
const leastPart = 4

/**
 * Returns the known name that was most likely meant, ignoring letter case. This is the nearest name, if it is within
 * `mostSlips` typos. Otherwise it is the first name that contains `given`, if `given` has at least `leastPart`
 * characters. Undefined if neither exists.
 */
export const nearestName = (given: string, known: ReadonlyArray<string>): string | undefined => {
  const word = given.toLowerCase()
  const [nearest] = known
    .map((name) => ({ name, slips: slipsBetween(word, name.toLowerCase()) }))
    .toSorted((one, other) => one.slips - other.slips)
  if (nearest !== undefined && nearest.slips <= mostSlips) return nearest.name
  return [...word].length < leastPart ? undefined : known.find((name) => name.toLowerCase().includes(word))
}
