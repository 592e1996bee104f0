import { describe, expect, it } from "vitest"
import { files, read } from "./Workspace.js"

/**
 * Matches a log call whose second argument is a variable named like an error, such as `failure`. A logger would print
 * all of the error's properties, and those of its causes.
 */
const bare =
  /\blog(?:Fatal|Error|Warning|Info|Debug|Trace)\(\s*(?:"[^"]*"|`[^`]*`)\s*,\s*(?:error|failure|defect|thrown)\s*\)/g

const bareIn = (source: string): ReadonlyArray<string> => [...source.matchAll(bare)].map(([line]) => line)

describe("an error that is logged", () => {
  it("is a cause, which prints as its stack, or a message: a database's error has rows and parameters as properties", () => {
    const sources = files.filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file))
    expect(sources.length).toBeGreaterThan(500)
    expect(sources.flatMap((file) => bareIn(read(file)).map((line) => `${file}: ${line}`))).toEqual([])
  })

  it("is found where it is not", () => {
    expect(bareIn('Effect.logWarning("It failed", error)')).toHaveLength(1)
    expect(bareIn("Effect.logError(\n  `It failed twice`,\n  failure\n)")).toHaveLength(1)
    expect(bareIn('Effect.logWarning("It failed", cause)')).toEqual([])
    expect(bareIn('Effect.logWarning("It failed", error.message)')).toEqual([])
  })
})
