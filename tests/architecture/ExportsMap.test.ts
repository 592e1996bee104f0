import { expect, it } from "vitest"
import { documentedPathViolations, type PackageManifest, resolveSource, sealViolations } from "./ExportsMap.js"

const core: PackageManifest = {
  name: "@surety/core",
  exports: {
    "./package.json": "./package.json",
    "./internal/*": null,
    "./*": { source: "./src/*.ts", types: "./dist/*.d.ts", default: "./dist/*.js" }
  },
  sources: ["src/Money.ts", "src/refund/Refund.ts", "src/internal/rounding.ts"]
}

const verifier: PackageManifest = {
  name: "@surety/verifier",
  exports: { ".": { source: "./src/index.ts" } },
  sources: ["src/index.ts", "src/verify.ts"]
}

it("follows an import path to its source file", () => {
  expect(resolveSource(core, "@surety/core/Money")).toBe("src/Money.ts")
  expect(resolveSource(core, "@surety/core/refund/Refund")).toBe("src/refund/Refund.ts")
  expect(resolveSource(verifier, "@surety/verifier")).toBe("src/index.ts")
})

it("finds no target if there is no match", () => {
  expect(resolveSource(core, "@surety/core")).toBeUndefined()
  expect(resolveSource(core, "@surety/core/Nothing")).toBeUndefined()
  expect(resolveSource(core, "@surety/core/internal/rounding")).toBeUndefined()
  expect(resolveSource(verifier, "@surety/verifier/verify")).toBeUndefined()
})

it("asks that internal modules are sealed if a package opens all others", () => {
  expect(sealViolations(core)).toEqual([])
  expect(sealViolations(verifier)).toEqual([])
  expect(sealViolations({ ...core, exports: { "./*": "./src/*.ts" } })).toHaveLength(1)
  expect(sealViolations({ ...core, exports: { "./*": "./src/*.ts", "./internal/*": "./src/*.ts" } })).toHaveLength(1)
})

it("asks that every folder is sealed if only the modules of the root are public", () => {
  const sources = ["src/PgStores.ts", "src/refund/PgRefundStore.ts", "src/sql/Database.ts"]
  const exports = { "./*": "./src/*.ts", "./refund/*": null, "./sql/*": null }
  expect(sealViolations({ name: "@surety/postgres", sources, exports })).toEqual([])
  expect(
    sealViolations({ name: "@surety/postgres", sources, exports: { ...exports, "./sql/*": "./src/sql/*.ts" } })
  ).toEqual(['@surety/postgres: "./sql/*" is not sealed with null in exports'])
})

it("checks the imports that a document shows, and only those", () => {
  const violations = (text: string) => documentedPathViolations([core, verifier], "README.md", text)
  expect(violations('import { Money } from "@surety/core/Money"')).toEqual([])
  expect(violations("const { verify } = await import('@surety/verifier')")).toEqual([])
  expect(violations('import { Money } from "@surety/core/Monies"')).toEqual([
    "README.md: there is no @surety/core/Monies to import"
  ])
  expect(violations('import "@surety/core/internal/rounding"')).toHaveLength(1)
  expect(violations('import { x } from "@surety/unknown"')).toHaveLength(1)
  expect(violations('the service "@surety/core/refund/Wallet/WalletUnavailable"')).toEqual([])
})

it("reads only the comments of a source file", () => {
  const violations = (text: string) => documentedPathViolations([core], "packages/core/src/A.ts", text)
  expect(violations('import "@surety/core/Nothing"')).toEqual([])
  expect(violations(' * import "@surety/core/Nothing"')).toHaveLength(1)
  expect(violations('// import "@surety/core/Nothing"')).toHaveLength(1)
})
