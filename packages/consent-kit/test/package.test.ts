import { readFileSync } from "node:fs"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { expect, it } from "vitest"
import * as Shop from "./Shop.js"

const most = 3 * 1024

it("has less than 3 KB, minified and compressed, and imports nothing", async () => {
  const code = await Shop.bundle()
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(most)
  expect(brotliCompressSync(code).length).toBeLessThan(most)
  expect(code).not.toMatch(/\b(?:import|require|fetch|eval|Function)\s*\(|\bfrom\s*["']/u)
})

it("makes no frame, and reads no message of another window", async () => {
  const code = await Shop.bundle()
  expect(code).not.toMatch(/frame|createElement|innerHTML|localStorage/iu)
  expect(code.match(/"message"/gu)).toHaveLength(1)
})

it("the manifest names nothing that a page would have to load along", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies"]) {
    expect(manifest).not.toHaveProperty(kind)
  }
})
