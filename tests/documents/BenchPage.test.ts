import { describe, expect, it } from "vitest"
import { type AllBenchData, type BenchData, benchNames, readData } from "../../scripts/bench/BenchData.ts"
import { pageFile, renderPage, templateFile, unmarkedFigures, withFigures } from "../../scripts/bench/BenchPage.ts"
import { files, read } from "../architecture/Workspace.js"

const data: BenchData = {
  measuredOn: "2026-11-22",
  machine: "2 × processor",
  versions: { PostgreSQL: "18.4" },
  settings: { roundSeconds: 2, inARow: 9 },
  lines: [
    { scenario: "whoami", subject: "surety", perSecond: 14_923, p50Millis: 2, serverMicros: 44.4, othersShare: null },
    { scenario: "whoami", subject: "peer", perSecond: 7388, p50Millis: 1.54, serverMicros: null, othersShare: 0.21 }
  ],
  goals: [{ what: "whoami: surety / peer", goal: "≥ 1.0", measured: "2.02", isMet: true }],
  figures: { ratio: 2.0199, perSecond: 14_923, p50Millis: 2 }
}
const all: AllBenchData = { whoami: data }

const table = `Measured on 2026-11-22: 2 × processor; PostgreSQL 18.4; round seconds 2, in a row 9.
Other processes used up to 21 % of the machine.

| scenario | subject | a second |    p50 | server | others |
| -------- | ------- | -------: | -----: | -----: | -----: |
| whoami   | surety  |   14,923 | 2.0 ms |  44 µs |      – |
| whoami   | peer    |    7,388 | 1.5 ms |      – |   21 % |

|                       | goal  | measured |     |
| --------------------- | ----- | -------- | --- |
| whoami: surety / peer | ≥ 1.0 | 2.02     | met |`

describe("the bench's page", () => {
  it("shows what was measured, in units, and what was not", () => {
    expect(renderPage(all, "{{bench whoami}}\n")).toBe(`${table}\n`)
    expect(renderPage(all, "{{bench refunds}}")).toBe("Not measured yet: run `npx pnpm bench refunds`.")
  })

  it("shows benches of one run in one table", () => {
    expect(renderPage({ ...all, refunds: { ...data, lines: [], goals: [] } }, "{{bench whoami refunds}}")).toBe(table)
  })

  it("does not accept a bench that does not exist", () => {
    expect(() => renderPage(all, "{{bench nothing}}")).toThrow('There is no bench "nothing"')
  })
})

describe("a quoted figure", () => {
  const quote = (name: string, value = "?") => `<!-- bench:${name} -->${value}<!-- /bench -->`

  it("is filled from the data, large ones with three digits", () => {
    expect(withFigures(all, `about ${quote("whoami.ratio")} times, ${quote("whoami.perSecond", "9")}`)).toBe(
      `about ${quote("whoami.ratio", "2.02")} times, ${quote("whoami.perSecond", "14,900")}`
    )
  })

  it("must exist", () => {
    expect(() => withFigures(all, quote("whoami.speed"))).toThrow('docs/bench/whoami.json has no figure "speed"')
    expect(() => withFigures(all, quote("refunds.ratio"))).toThrow('docs/bench/refunds.json has no figure "ratio"')
  })

  it("is reported without its marker, in a paragraph that links to the bench", () => {
    const link = "([bench](../bench.md))"
    expect(unmarkedFigures(`It is **2.57 times** as fast ${link}.\n\nWait 5 ms.`)).toEqual(["2.57 times"])
    expect(unmarkedFigures(`- 1,700 refunds a second ${link}\n- 3 ms`)).toEqual(["1,700 refunds a second"])
    expect(unmarkedFigures(`${quote("whoami.ratio", "2.02")} times, on 2 cores ${link}`)).toEqual([])
  })
})

describe("the pages", () => {
  const measured = readData()
  const pages = files.filter((file) => file.endsWith(".md") && file !== pageFile && file !== templateFile)

  it("docs/bench.md is what the template and the data give (`npx pnpm bench page` writes it)", () => {
    expect(read(pageFile)).toBe(renderPage(measured, read(templateFile)))
  })

  it("every bench has a place in the template", () => {
    expect(benchNames.filter((name) => !new RegExp(`\\{\\{bench [^}]*\\b${name}\\b`).test(read(templateFile)))).toEqual(
      []
    )
  })

  it("quote the bench's latest figures", () => {
    expect(pages.filter((page) => withFigures(measured, read(page)) !== read(page))).toEqual([])
    expect(read("docs/embedding/scaling.md")).toContain("<!-- bench:refunds.perSecond -->")
  })

  it("quote none without a marker", () => {
    expect(pages.flatMap((page) => unmarkedFigures(read(page)).map((figure) => `${page}: ${figure}`))).toEqual([])
  })
})
