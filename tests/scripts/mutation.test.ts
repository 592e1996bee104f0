import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import survivors from "../../scripts/mutation/survivors.json" with { type: "json" }

const root = fileURLToPath(new URL("../..", import.meta.url))

it("each change that no test can notice is listed once, with its reason, for a line that still stands", () => {
  const places = survivors.map(({ file, line, original, replacement }) => {
    expect(existsSync(root + file), file).toBe(true)
    const lines = readFileSync(root + file, "utf8").split("\n")
    expect(lines.map((each) => each.trim())).toContain(line)
    expect(line).toContain(original)
    return JSON.stringify([file, line, original, replacement])
  })
  expect(new Set(places).size).toBe(places.length)
  expect(survivors.filter(({ reason }) => reason.length < 20)).toEqual([])
})
