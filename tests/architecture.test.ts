import { expect, it } from "vitest"
import { namedImports, nameViolations } from "./architecture/ExportNames.js"
import { documentedPathViolations, sealViolations } from "./architecture/ExportsMap.js"
import {
  ambientViolations,
  comparisonViolations,
  idleJsonParsers,
  importViolations,
  jsonViolations,
  shapeViolations
} from "./architecture/ModuleRules.js"
import { lockfileHostViolations, traceViolations } from "./architecture/Provenance.js"
import { files, manifests, read, sourceModules } from "./architecture/Workspace.js"

it("sees the workspace", () => {
  expect(sourceModules.map((module) => module.path)).toContain("packages/core/src/Money.ts")
  expect(manifests.map((manifest) => manifest.name)).toContain("@surety/core")
})

it("every package imports only what its place allows", () => {
  expect(sourceModules.flatMap(importViolations)).toEqual([])
})

it("the core takes time, chance and the world from effect, and only the server reads the environment", () => {
  expect(sourceModules.flatMap(ambientViolations)).toEqual([])
})

it("every source file is short, is named after its concept, and has named exports only", () => {
  expect(sourceModules.flatMap(shapeViolations)).toEqual([])
})

it("no two modules export one name that is imported alone", () => {
  const sources = files.filter((file) => /^(packages|examples)\/[^/]+\/src\/.*\.ts$/.test(file))
  expect(nameViolations(sources.flatMap((file) => namedImports(file, read(file))))).toEqual([])
})

it("every SQL function takes its rows as JSON: at most three parameters", () => {
  const heads = [...read("packages/postgres/schema.sql").matchAll(/^CREATE OR REPLACE FUNCTION (\S+?)\((.*)\)$/gm)]
  expect(heads.length).toBeGreaterThan(20)
  expect(heads.filter(([, , parameters = ""]) => parameters.split(",").length > 3).map(([, name]) => name)).toEqual([])
})

it("secrets are compared by one function", () => {
  const sources = files.filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file))
  expect(sources.flatMap((file) => comparisonViolations(file, read(file)))).toEqual([])
})

it("JSON is parsed within bounds, or in a place that is listed with its reason", () => {
  const sources = files.filter((file) => /^(packages|examples)\/[^/]+\/src\/.*\.ts$/.test(file))
  expect(sources.flatMap((file) => jsonViolations(file, read(file)))).toEqual([])
  expect(idleJsonParsers(new Map(sources.map((file) => [file, read(file)])))).toEqual([])
})

it("no package lets its internal modules out", () => {
  expect(manifests.flatMap(sealViolations)).toEqual([])
})

it("every import path that a document or a docstring shows leads to a module", () => {
  const showing = files.filter((file) => /\.md$|^(examples|packages)\/.*\.ts$/.test(file))
  expect(showing.flatMap((file) => documentedPathViolations(manifests, file, read(file)))).toEqual([])
})

it("no file tells where or how it was made", () => {
  const written = files.filter((file) => file !== "pnpm-lock.yaml")
  expect(written.flatMap((file) => traceViolations(file, read(file)))).toEqual([])
})

it("the lockfile names no registry", () => {
  expect(lockfileHostViolations("pnpm-lock.yaml", read("pnpm-lock.yaml"))).toEqual([])
})
