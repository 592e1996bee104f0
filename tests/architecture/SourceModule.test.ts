import { expect, it } from "vitest"
import { parse } from "./SourceModule.js"

const specifiers = (source: string): ReadonlyArray<string> =>
  parse("packages/core/src/A.ts", source).imports.map(({ name }) => name)

const references = (source: string): ReadonlyArray<string> =>
  parse("packages/core/src/A.ts", source).references.map(({ name }) => name)

it("finds a module in each form in which it can be named", () => {
  expect(specifiers('import { a } from "a"')).toEqual(["a"])
  expect(specifiers('import type { B } from "b"')).toEqual(["b"])
  expect(specifiers('import "c"')).toEqual(["c"])
  expect(specifiers('import * as D from "d"')).toEqual(["d"])
  expect(specifiers('export * from "e"')).toEqual(["e"])
  expect(specifiers('export { f } from "f"')).toEqual(["f"])
  expect(specifiers('const g = await import("g")')).toEqual(["g"])
  expect(specifiers('type H = import("h").H')).toEqual(["h"])
  expect(specifiers('import i = require("i")')).toEqual(["i"])
  expect(specifiers('const j = require("j")')).toEqual(["j"])
  expect(specifiers("const k = await import(where)")).toEqual(["(computed)"])
})

it("finds the names that are used, wherever they stand", () => {
  expect(references("f(new Date())")).toEqual(["f", "Date"])
  expect(references("() => { if (x.y) return [Date.now()] }")).toEqual(["x.y", "Date.now"])
  expect(references("const { now } = Date")).toContain("Date")
  expect(references("const all = { Date }")).toContain("Date")
  expect(references("class A { static at = new Date() }")).toContain("Date")
  expect(references('process["env"].HOME')).toContain("process.env")
  expect(references("process[name]")).toEqual(["process.(computed)", "name"])
  expect(references("const f = (x = Math.random()) => x")).toContain("Math.random")
})

it("takes no member, type or imported name for a use", () => {
  expect(references("a.fetch; f({ console: 1 })")).toEqual(["a.fetch", "f"])
  expect(references("class B { process = 1 }; interface C { process: string; at: Date }")).toEqual(["B", "C"])
  expect(references("let at: Date")).toEqual(["at"])
  expect(references('import { fetch } from "elsewhere"\nfetch()')).toEqual([])
})

it("tells the line", () => {
  const { imports, references, defaultExports } = parse(
    "packages/core/src/A.ts",
    '\nimport "a"\n\nfetch()\nexport default 1\n'
  )
  expect(imports).toEqual([{ name: "a", line: 2 }])
  expect(references).toEqual([{ name: "fetch", line: 4 }])
  expect(defaultExports).toEqual([{ name: "default", line: 5 }])
})

it("refuses what is no TypeScript", () => {
  expect(() => parse("packages/core/src/A.ts", "const = 1")).toThrow("packages/core/src/A.ts")
})
