import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { inDependencyOrder, type Package } from "../../scripts/packages.ts"
import { fingerprint, forget, isFresh, remember } from "../../scripts/stamp.ts"

let directory = ""

const write = (file: string, text: string): void => {
  mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
  writeFileSync(path.join(directory, file), text)
}

const pkg = (): Package => ({ name: "a", directory, dependencies: [] })

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "surety-build-"))
  for (const file of ["package.json", "tsup.config.ts", "tsconfig.src.json", "src/A.ts"]) write(file, file)
  write("dist/A.js", "built")
  remember(pkg(), fingerprint(pkg(), []))
})

afterEach(() => rmSync(directory, { recursive: true }))

it("what was built from the same sources is fresh", () => {
  expect(isFresh(pkg(), fingerprint(pkg(), []))).toBe(true)
})

it("is stale as soon as a source, a setting or the manifest changes", () => {
  for (const file of ["package.json", "tsup.config.ts", "tsconfig.src.json", "src/A.ts", "src/page.html"]) {
    write(file, `${file} changed`)
    const current = fingerprint(pkg(), [])
    expect(isFresh(pkg(), current)).toBe(false)
    remember(pkg(), current)
    expect(isFresh(pkg(), current)).toBe(true)
  }
})

it("is stale when a source was renamed or removed", () => {
  const before = fingerprint(pkg(), [])
  rmSync(path.join(directory, "src", "A.ts"))
  const removed = fingerprint(pkg(), [])
  write("src/B.ts", "src/A.ts")
  expect(new Set([before, removed, fingerprint(pkg(), [])]).size).toBe(3)
})

it("is stale when a package it depends on changed", () => {
  expect(fingerprint(pkg(), ["one"])).not.toBe(fingerprint(pkg(), ["other"]))
})

it("is stale when an output was lost, or a build was cut off", () => {
  const current = fingerprint(pkg(), [])
  rmSync(path.join(directory, "dist", "A.js"))
  expect(isFresh(pkg(), current)).toBe(false)
  write("dist/A.js", "built")
  expect(isFresh(pkg(), current)).toBe(true)
  forget(pkg())
  expect(isFresh(pkg(), current)).toBe(false)
})

it("orders packages behind what they depend on, and takes only what is needed", () => {
  const workspace = new Map(
    Object.entries({ server: ["http", "core"], http: ["core"], core: [], verifier: [] }).map(([name, dependencies]) => [
      name,
      { name, directory: name, dependencies }
    ])
  )
  const names = (only: ReadonlyArray<string>) => inDependencyOrder(workspace, only).map(({ name }) => name)
  expect(names(["server"])).toEqual(["core", "http", "server"])
  expect(names([])).toEqual(["core", "http", "server", "verifier"])
  expect(() => names(["absent"])).toThrow('"absent"')
})
