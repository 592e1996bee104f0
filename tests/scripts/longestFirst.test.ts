import { existsSync } from "node:fs"
import path from "node:path"
import { expect, it } from "vitest"
import { longestFiles } from "../../scripts/LongestFirst.ts"
import { root } from "../../scripts/packages.ts"
import { rehearsals } from "../../scripts/rehearsals.ts"

it("each rehearsal exists, so that a renamed one does not come into every run unnoticed", () => {
  expect(rehearsals.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  expect(rehearsals).toEqual([...new Set(rehearsals)].toSorted())
})

it("the files that begin a run exist, so that a renamed one does not end up last", () => {
  expect(longestFiles.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
  expect(new Set(longestFiles).size).toBe(longestFiles.length)
})
