import { describe, expect, it } from "vitest"
import { crowdedFolders, fewestLines, mostFiles, tinyFiles } from "./Folders.js"
import { files, read } from "./Workspace.js"

const source = /^(packages\/[^/]+\/(src|test)|examples\/[^/]+\/src)\//

/**
 * Maximum number of source files with fewer than `fewestLines` lines in each package. Lower a number when files are
 * merged. Packages not listed may have none.
 */
const allowedTinyFiles: Readonly<Record<string, number>> = {
  client: 5,
  "consent-kit": 1,
  core: 9,
  embed: 5,
  http: 10,
  postgres: 1,
  server: 6,
  testing: 2,
  verifier: 3
}

describe("folders", () => {
  it(`have at most ${mostFiles} files beside each other`, () => {
    expect(crowdedFolders(files.filter((file) => source.test(file)))).toEqual([])
  })

  it("are counted without the files of their subfolders", () => {
    const many = Array.from({ length: mostFiles }, (_, index) => `a/${index}.ts`)
    expect(crowdedFolders([...many, "a/b/c.ts"])).toEqual([])
    expect(crowdedFolders([...many, "a/c.ts"])).toEqual([`a: ${mostFiles + 1}`])
  })
})

describe(`source files of fewer than ${fewestLines} lines`, () => {
  it("are no more in a package than its number", () => {
    const sources = files.filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file))
    const tiny = [...tinyFiles(sources, read)].filter(([name, found]) => found.length > (allowedTinyFiles[name] ?? 0))
    expect(Object.fromEntries(tiny)).toEqual({})
  })

  it("are counted by package, without blank lines at their end", () => {
    const lines = (count: number) => "x\n".repeat(count)
    const texts = new Map([
      ["packages/a/src/one.ts", lines(fewestLines - 1)],
      ["packages/a/src/two.ts", lines(fewestLines)]
    ])
    expect([...tinyFiles([...texts.keys()], (file) => texts.get(file) ?? "")]).toEqual([
      ["a", ["packages/a/src/one.ts"]]
    ])
  })
})
