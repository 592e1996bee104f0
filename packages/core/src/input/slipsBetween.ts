/** How many letters to insert, delete or change to turn one word into the other (Levenshtein distance). */
export const slipsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1]
    for (const [column, above] of row.slice(1).entries()) {
      const changed = (row[column] ?? 0) + (letter === other[column] ? 0 : 1)
      next.push(Math.min(changed, above + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
