import path from "node:path"
import { describe, expect, it } from "vitest"
import { compiledTwice, importsOf, type Project } from "./ProjectReferences.js"
import { files, read } from "./Workspace.js"

const readProject = (file: string): ReadonlyArray<Project> => {
  const { exclude = [], extends: base = "", include, references = [] } = JSON.parse(read(file))
  if (include === undefined) return []
  const within = (one: string) => path.posix.join(path.posix.dirname(file), one).replace(/\/$/, "")
  return [
    {
      path: file,
      include: include.map(within),
      exclude: exclude.map(within),
      references: references.map(({ path }: { readonly path: string }) => within(path)),
      emits: base.endsWith("tsconfig.base.json")
    }
  ]
}

describe("a project that the compiler builds", () => {
  it("refers to each project of the workspace that it imports", () => {
    const projects = files.filter((file) => /^(packages\/[^/]+|scripts|tests)\/tsconfig[^/]*\.json$/.test(file))
    const sources = files.filter((file) => /^((packages|scripts|tests)\/.*|[^/]+)\.ts$/.test(file))
    const found = compiledTwice(
      projects.flatMap(readProject),
      sources.map((file) => importsOf(file, read(file)))
    )
    expect(found).toEqual([])
  })

  const source: Project = {
    path: "packages/a/tsconfig.src.json",
    include: ["packages/a/src"],
    exclude: [],
    references: [],
    emits: true
  }
  const middle: Project = { ...source, path: "packages/b/tsconfig.src.json", include: ["packages/b/src"] }
  const scripts: Project = { ...source, path: "scripts/tsconfig.json", include: ["scripts"], emits: false }
  const modules = [
    importsOf("packages/a/src/One.ts", ""),
    importsOf("packages/b/src/Two.ts", ""),
    importsOf("packages/b/test/helper.ts", 'export const one = () => import("@surety/a/One")'),
    importsOf("scripts/run.ts", 'export * from "../packages/b/test/helper.js"')
  ]

  it("is found with what its helpers in other folders import", () => {
    expect(compiledTwice([source, middle, scripts], modules)).toEqual([`${scripts.path}: ${source.path}`])
  })

  it("may refer to it through another project", () => {
    const through = { ...middle, references: [source.path] }
    expect(compiledTwice([source, through, { ...scripts, references: [through.path] }], modules)).toEqual([])
  })
})
