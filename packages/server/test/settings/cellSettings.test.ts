import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, it } from "@effect/vitest"
import { describeFaults, parseSettings } from "@surety/server/settings/parseSettings"
import { cellsOf } from "@surety/server/settings/Settings"
import { Result } from "effect"

const url = "postgres://surety:pass-word@db-1:5432/surety"
const first = { name: "first", url }
const second = { name: "second", url: "postgres://surety:pass-word@db-2/surety", schema: "second_cell", open: false }

const parsed = (environment: Readonly<Record<string, string>>) => parseSettings({ DATABASE_URL: url, ...environment })

const faultsOf = (environment: Readonly<Record<string, string>>): string => {
  const result = parsed(environment)
  return Result.isFailure(result) ? describeFaults(result.failure) : assert.fail("the settings are accepted")
}

const cells = (...list: ReadonlyArray<unknown>) => ({ CELLS: JSON.stringify(list) })

it("reads the cells in their order, from the variable or a file", () => {
  const settings = Result.getOrThrow(parsed(cells(first, second)))
  assert.deepStrictEqual(
    cellsOf(settings)?.map(({ isOpen, name, schema }) => [name, schema, isOpen]),
    [
      ["first", "surety", true],
      ["second", "second_cell", false]
    ]
  )
  const directory = mkdtempSync(path.join(tmpdir(), "surety-cells-"))
  const file = path.join(directory, "cells.json")
  // An editor may write a byte order mark and a line end.
  writeFileSync(file, `\uFEFF${JSON.stringify([first, second])}\r\n`)
  const fromFile = Result.getOrThrow(parsed({ CELLS_FILE: file }))
  assert.strictEqual(cellsOf(fromFile)?.length, 2)
  rmSync(directory, { recursive: true })
  assert.match(faultsOf({ CELLS_FILE: file }), /CELLS_FILE cannot be read/)
  assert.isUndefined(cellsOf(Result.getOrThrow(parsed({}))))
})

it("names every fault at once, and no password", () => {
  const faults = faultsOf({
    DATABASE_CONNECTIONS: "4",
    CELLS_FILE: "/nowhere/cells.json",
    ...cells(
      first,
      first,
      { ...second, name: "Second" },
      { ...first, name: "third", url: "mysql://surety:pass-word@db-3/surety" },
      { ...first, name: "fourth", schema: "surety_directory" },
      { ...first, name: "fifth", weight: 2 }
    )
  })
  for (const expected of [
    "two cells have the name first",
    "two cells share a schema of one database: db-1:5432/surety surety",
    "cell 3 is not {",
    "the url of cell 4, third, is not a url",
    "fourth uses the directory's schema",
    "cell 6 is not {",
    "DATABASE_CONNECTIONS is 4; with CELLS it must be at least 8",
    "CELLS_FILE cannot be read"
  ]) {
    assert.include(faults, expected)
  }
  assert.notInclude(faults, "pass-word")
  assert.include(
    faultsOf(cells(first, { name: "again", url: "postgres://surety:pass-word@db-9/other?host=db-1&dbname=surety" })),
    "two cells share a schema of one database: db-1:5432/surety surety"
  )
  assert.include(faultsOf(cells({ ...first, open: false })), "no cell is open to new merchants")
  assert.include(faultsOf({ CELLS: "first" }), "CELLS is not a JSON list of cells")
  assert.include(faultsOf({ CELLS: "[]" }), "CELLS is not a JSON list of cells")
  const unset = parseSettings(cells(first))
  assert.include(Result.isFailure(unset) ? describeFaults(unset.failure) : "", "DATABASE_URL must be set with CELLS")
})

it("shows operators the cells' names, and nothing else of them", () => {
  const shown = Result.getOrThrow(parsed(cells(first))).inForce
  assert.strictEqual(shown.find(({ name }) => name === "CELLS")?.value, first.name)
  assert.notInclude(JSON.stringify(shown), "pass-word")
})
