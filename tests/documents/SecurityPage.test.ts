import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"

const root = path.join(import.meta.dirname, "../..")
const page = readFileSync(path.join(root, "docs/security.md"), "utf8")

interface Promised {
  /** First cell of the row, to identify it. */
  readonly row: string
  readonly tests: ReadonlyArray<string>
}

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .slice(1, line.lastIndexOf("|"))
    .split("|")
    .map((cell) => cell.trim())

const isRow = (line: string | undefined): line is string => line?.startsWith("|") === true

/** Returns each row of a page's tables except headers, with the tests named in its last cell. */
const promisesOf = (text: string): ReadonlyArray<Promised> => {
  const lines = text.split("\n")
  return lines.flatMap((line, index) => {
    const isHead = isRow(line) && !isRow(lines[index - 1])
    if (!isRow(line) || isHead || /^[|\s-]+$/u.test(line)) return []
    const [first = "", ...others] = cellsOf(line)
    return [{ row: first, tests: [...(others.at(-1) ?? "").matchAll(/`([^`]+\.ts)`/gu)].map(([_, file = ""]) => file) }]
  })
}

/** Returns the first row of each group of table rows that lacks a header. Markdown renders such rows as text. */
const strayRows = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return lines.filter(
    (line, index) => isRow(line) && !isRow(lines[index - 1]) && !/^[|\s-]+$/u.test(lines[index + 1] ?? "")
  )
}

const proves = (file: string): boolean => {
  const whole = path.join(root, file)
  if (!existsSync(whole)) return false
  const code = readFileSync(whole, "utf8")
  if (file.endsWith(".test.ts")) return /\b(it|test)(\.\w+)*\(/u.test(code)
  return file.endsWith("Laws.ts") && /\blaw(Alone)?\(/u.test(code)
}

describe("the threat model", () => {
  it("names a test for each promise", () => {
    expect(promisesOf(page).length).toBeGreaterThan(40)
    expect(promisesOf(page).filter(({ tests }) => tests.length === 0)).toEqual([])
    expect(strayRows(page)).toEqual([])
  })

  it("names tests that exist and check something", () => {
    expect(
      promisesOf(page).flatMap(({ row, tests }) =>
        tests.filter((file) => !proves(file)).map((file) => `${row}: ${file}`)
      )
    ).toEqual([])
  })

  it("is read row by row", () => {
    const table =
      "| they cannot | because | shown by |\n|---|---|---|\n| a | b | `x.test.ts`, `y.ts` |\n| c | d | trust |\n"
    expect(promisesOf(table)).toEqual([
      { row: "a", tests: ["x.test.ts", "y.ts"] },
      { row: "c", tests: [] }
    ])
    expect(strayRows(table)).toEqual([])
    expect(strayRows(`${table}\n| e | f | \`x.test.ts\` |\n`)).toEqual(["| e | f | `x.test.ts` |"])
    expect(proves("packages/core/test/none.test.ts")).toBe(false)
    expect(proves("packages/core/src/Money.ts")).toBe(false)
  })
})
