import { existsSync, readdirSync } from "node:fs"
import path from "node:path"
import { problemCodes } from "@surety/http/problem/ProblemCode"
import { describe, expect, it } from "vitest"
import { root, textOf as text } from "./Fence.js"
import { brokenLinks, missingInIndex } from "./Links.js"
import { stepsIn } from "./Step.js"

const merchantPages = readdirSync(path.join(root, "docs/merchants")).map((file) => `docs/merchants/${file}`)
const readmes = ["", ...readdirSync(path.join(root, "packages")).map((name) => `packages/${name}/`)]
  .map((directory) => `${directory}README.md`)
  .filter((file) => existsSync(path.join(root, file)))

describe("The pages", () => {
  it("lead to existing files and headings", () => {
    expect([...merchantPages, ...readmes].flatMap(brokenLinks)).toEqual([])
  })

  it("of merchants are all in their index", () => {
    expect(missingInIndex("docs/merchants", merchantPages)).toEqual([])
  })

  it("of merchants say of every block how it is tested", () => {
    expect(merchantPages.flatMap((page) => stepsIn(page, text(page))).length).toBeGreaterThan(50)
  })

  it("of merchants install what is in the workspace", () => {
    const names = readdirSync(path.join(root, "packages")).map((name) => `@surety/${name}`)
    const isKnown = (code: string) => {
      const [npm, install, ...installed] = code.trim().split(" ")
      return npm === "npm" && install === "install" && installed.every((name) => names.includes(name))
    }
    const installs = merchantPages.flatMap((page) => stepsIn(page, text(page))).filter(({ kind }) => kind === "install")
    expect(installs.map(({ fence }) => fence.code).filter((code) => !isKnown(code))).toEqual([])
  })

  it("of merchants name the codes of problems as they are, each with its status", () => {
    const rows = merchantPages.flatMap((page) =>
      [...text(page).matchAll(/^\| (?<status>[45]\d\d) \| (?<codes>`[^|]*) \|/gm)].map(({ groups }) => ({
        page,
        status: Number(groups?.status),
        codes: [...(groups?.codes ?? "").matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "")
      }))
    )
    expect(rows.length).toBeGreaterThan(20)
    const table: Readonly<Record<string, { readonly status: number }>> = problemCodes
    const wrong = rows.flatMap(({ codes, page, status }) =>
      codes.filter((code) => table[code]?.status !== status).map((code) => `${page}: ${status} ${code}`)
    )
    expect(wrong).toEqual([])
  })
})
