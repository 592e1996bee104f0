import { existsSync, globSync, readFileSync } from "node:fs"
import path from "node:path"
import { allowedTransitions, MerchantStatus } from "@surety/core/merchant/Merchant"
import { invariants } from "@surety/testing/simulation/invariants/Invariant"
import { lifecycles, neverStored } from "@surety/testing/simulation/invariants/Lifecycles"
import { describe, expect, it } from "vitest"
import { mistakes } from "./mistakes.js"

const root = path.join(import.meta.dirname, "../../../..")
const page = readFileSync(path.join(root, "docs/simulation.md"), "utf8")

/** Returns the cells of the table under a heading, row by row, without the header row. */
const tableUnder = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const section = page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? ""
  const rows = section.split("\n").filter((line) => line.startsWith("| "))
  return rows.slice(1).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

describe("docs/simulation.md", () => {
  it("lists every invariant, and no other", () => {
    expect(tableUnder("What must hold").map(([name]) => name)).toEqual(invariants.map((name) => `\`${name}\``))
  })

  it("names a test for each mistake that no story shows", () => {
    const rows = tableUnder("What a simulation cannot show")
    expect(rows.length).toBeGreaterThan(5)
    for (const [mistake, tests = ""] of rows) {
      const files = [...tests.matchAll(/`(?<file>[^`]+)`/gu)].map((match) => match.groups?.file ?? "")
      expect(files.length, mistake).toBeGreaterThan(0)
      for (const file of files) expect(existsSync(path.join(root, file)), file).toBe(true)
    }
  })

  it("names the folders in which it says that things are", () => {
    for (const name of [
      "simulation/acts",
      "simulation/invariants",
      "simulation/Repertoire.ts",
      "simulation/Coverage.ts"
    ]) {
      expect(existsSync(path.join(root, "packages/testing/src", name))).toBe(true)
    }
  })
})

describe("the table of mistakes", () => {
  it("has one name for each", () => {
    const names = mistakes.map(({ how }) => how)
    expect(names).toEqual([...new Set(names)])
  })
})

describe("the table of lifecycles", () => {
  const table = Object.entries<Readonly<Record<string, ReadonlyArray<string>>>>(lifecycles)

  it("has every status of core: a new one compiles only with its row", () => {
    const named = readFileSync(path.join(root, "packages/testing/src/simulation/invariants/Lifecycles.ts"), "utf8")
    const core = path.join(root, "packages/core/src")
    const declared = globSync("**/*.ts", { cwd: core }).flatMap((file) =>
      [
        ...readFileSync(path.join(core, file), "utf8").matchAll(
          /^export const (?<name>\w*(?:Status|State|Standing)) = Schema\.Literals\(/gmu
        )
      ].map((match) => match.groups?.name ?? "")
    )
    expect(declared.length).toBeGreaterThan(10)
    // The state of a consent as recorded in a receipt. Receipts never change, so this type has no lifecycle.
    const ofReceipts = ["ConsentState"]
    const missing = declared.filter((name) => !ofReceipts.includes(name) && !named.includes(`import type { ${name} }`))
    expect(missing).toEqual([])
  })

  it("leads to every status from the beginning, but for those that are never stored", () => {
    for (const [name, lifecycle] of table) {
      const followers = new Set(Object.values(lifecycle).flat())
      const unreached = Object.keys(lifecycle).filter((status) => status !== "new" && !followers.has(status))
      expect(unreached.filter((status) => !neverStored.has(`${name} ${status}`))).toEqual([])
    }
  })

  it("has the merchant's as core has it", () => {
    for (const status of MerchantStatus.literals) {
      expect(new Set(lifecycles.merchant[status])).toEqual(new Set(allowedTransitions(status)))
    }
  })
})
