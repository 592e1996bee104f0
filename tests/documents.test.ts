import { existsSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { files, manifests, read } from "./architecture/Workspace.js"
import { missingFiles, missingRoutes } from "./documents/NamedPaths.js"
import { wordViolations } from "./documents/WordList.js"

const root = fileURLToPath(new URL("..", import.meta.url))
const exists = (file: string): boolean => existsSync(path.join(root, file))

/** Pages at the root, and pages in `docs` for contributors. */
const ownPages: ReadonlyArray<string> = [
  "*.md",
  "docs/{architecture,bench,bench/template,decisions/*,dependencies,glossary,packages,rate-limits,tour}.md"
]

/** Pages for hosts, merchants and platform teams, and the READMEs of the examples and SDKs. */
const guides: ReadonlyArray<string> = [
  "docs/{embedding,merchants,platform}/*.md",
  "examples/*/README.md",
  "sdks/**/README.md"
]

/** Files checked against the word list: pages, and the comments and sentences in sources, tests and scripts. */
const plainlyWritten: ReadonlyArray<string> = [
  ...ownPages,
  ...guides,
  "packages/*/README.md",
  "packages/*/{src,test,bench}/**/*.ts",
  "examples/*/{src,test}/**/*.ts",
  "scripts/**/*.ts",
  "tests/**/*.ts"
]

/**
 * True for files that cannot follow the word list, so `matching` excludes them. These are the consent page's
 * multilingual texts, and the list itself with its test.
 */
const isWorded = (file: string): boolean =>
  file.startsWith("packages/consent-page/src/words/") || file.startsWith("tests/documents/WordList")

/** True for generated files: the changelog, made from changesets at each release, and code written by programs. */
const isGenerated = (file: string): boolean =>
  file === "CHANGELOG.md" || file.endsWith(".generated.ts") || file.startsWith("tests/recipes/prisma/")

const matching = (globs: ReadonlyArray<string>): ReadonlyArray<string> =>
  files.filter((file) => !isGenerated(file) && !isWorded(file) && globs.some((glob) => path.matchesGlob(file, glob)))

const stopsOf = (tour: string): ReadonlyArray<string> =>
  [...tour.matchAll(/^\*\*(\d+)\. /gm)].map(([, number = ""]) => number)

describe("The pages", () => {
  it("are found", () => {
    expect(matching(plainlyWritten)).toEqual(
      expect.arrayContaining([
        "README.md",
        "docs/tour.md",
        "docs/decisions/README.md",
        "docs/embedding/runbooks.md",
        "docs/merchants/refunds.md",
        "examples/custom-store/README.md",
        "packages/client/README.md"
      ])
    )
  })

  it("name files that exist", () => {
    expect(matching([...ownPages, ...guides]).flatMap((page) => missingFiles(page, read(page), exists))).toEqual([])
  })

  it("name routes that exist, as the sources do", () => {
    const paths = Object.keys(JSON.parse(read("docs/openapi.json")).paths)
    const named = [...ownPages, ...guides, "packages/*/README.md", "packages/*/src/**/*.ts", "examples/*/src/**/*.ts"]
    expect(matching(named).flatMap((file) => missingRoutes(file, read(file), paths))).toEqual([])
  })

  it("require the Node of the manifests, or for the repository's own commands that of pnpm", () => {
    const required = matching(["packages/*/package.json"]).map((file) => JSON.parse(read(file)).engines.node)
    const allowed = new Set([...required.map((range: string) => range.replace(">=", "")), "18"])
    const named = matching(["README.md", "CONTRIBUTING.md", ...guides, "packages/*/README.md"]).flatMap((page) =>
      [
        ...read(page).matchAll(/(?:needs?|only|or|on|with|With) Node (\d[\d.]*\d)|Node (\d[\d.]*\d) (?:or|and) newer/gu)
      ].map(([, needed, least]) => `${page}: ${needed ?? least}`)
    )
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((line) => !allowed.has(line.split(": ")[1] ?? ""))).toEqual([])
  })

  it("use plain words", () => {
    expect(matching(plainlyWritten).flatMap((page) => wordViolations(page, read(page)))).toEqual([])
  })
})

it("the tour has twelve stops, each with a file to read", () => {
  const tour = read("docs/tour.md")
  expect(stopsOf(tour)).toEqual(Array.from({ length: 12 }, (_, index) => String(index + 1)))
  const stops = tour.split(/^\*\*\d+\. /m).slice(1)
  expect(stops.filter((stop) => !/\]\(\.\.\/packages\/[^)]+\.ts\)/.test(stop))).toEqual([])
})

it("each of the three flows of the architecture takes under 15 lines", () => {
  const page = read("docs/architecture.md")
  const flows = page.slice(page.indexOf("\n## Three flows"), page.indexOf("\n## Invariants")).split(/^\*\*/m).slice(1)
  const linesOf = (flow: string) => flow.split("\n").filter((line) => /^(\d\.| {3})/.test(line)).length
  expect(flows).toHaveLength(3)
  for (const flow of flows) {
    expect(linesOf(flow)).toBeGreaterThan(5)
    expect(linesOf(flow)).toBeLessThan(15)
  }
})

/** Titles of the runbooks without a page in the console. */
const withoutPage = [
  "No server answers",
  "Database down",
  "Requests fail",
  "Requests are slow",
  "A clock is off",
  "Platform events stall",
  "Secrets cannot be opened",
  "An archive is damaged",
  "A cell is down",
  "A move does not end",
  "Partitions are not made",
  "Queued calls wait"
]

it("every runbook names its page of the console, by the name of a room", () => {
  const rooms = [...read("packages/console/src/screen/Layout.ts").matchAll(/name: "([A-Z][\w ]+)"/g)].map(
    ([, name]) => name
  )
  expect(rooms.length).toBeGreaterThan(10)
  const sections = read("docs/embedding/runbooks.md").split(/^## /m).slice(1)
  const titleOf = (section: string) => section.slice(0, section.indexOf("\n"))
  expect(sections.map(titleOf)).toEqual(expect.arrayContaining(withoutPage))
  const unnamed = sections.filter((section) => {
    const [, room] = /^In the \[console\]\(\.\.\/platform\/console\.md\): \*([^*]+)\*/m.exec(section) ?? []
    return room === undefined || !rooms.includes(room)
  })
  expect(unnamed.map(titleOf)).toEqual(withoutPage)
})

it("architecture.md has a row for every package", () => {
  const rows = [...read("docs/architecture.md").matchAll(/^\| `(@surety\/[\w-]+)` \|/gm)].map(([, name]) => name)
  expect(rows.toSorted()).toEqual(manifests.map(({ name }) => name).toSorted())
})

describe("The decisions", () => {
  const records = files.filter((file) => /^docs\/decisions\/\d/.test(file)).toSorted()
  const index = read("docs/decisions/README.md")

  it("are numbered without gaps and are all in their index", () => {
    expect(records.map((file) => path.posix.basename(file).slice(0, 3))).toEqual(
      records.map((_, position) => `${String(position + 1).padStart(2, "0")}-`)
    )
    const links = records.map((file) => {
      const [, title = ""] = /^# (.+)$/m.exec(read(file)) ?? []
      return `| [${title.replace(".", "")}](${path.posix.basename(file)}) |`
    })
    expect(links.filter((link) => !index.includes(link))).toEqual([])
  })

  it.each(records)("%s has a context, a decision and its consequences", (file) => {
    const headings = [...read(file).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(["Context", "Decision", "Consequences"])
  })
})
