import { expect, it } from "vitest"
import { namedImports, nameViolations } from "./ExportNames.js"

const importing = (...lines: ReadonlyArray<string>) =>
  nameViolations(namedImports("packages/http/src/A.ts", lines.join("\n")))

it("finds a name that is imported alone from two modules", () => {
  expect(
    importing('import { Page } from "@surety/core/Page"', 'import { type Page as HttpPage } from "./field/Page.js"')
  ).toEqual(["Page: packages/core/src/Page.ts, packages/http/src/field/Page.ts"])
})

it("counts a module once, however often it is imported", () => {
  const line = 'import type { Page } from "@surety/core/Page"'
  const imports = ["packages/http/src/A.ts", "packages/http/src/B.ts"].flatMap((file) => namedImports(file, line))
  expect(nameViolations(imports)).toEqual([])
})

it("allows members of a namespace, names that every service has, and modules outside the workspace", () => {
  expect(importing('import { parse } from "./A.js"', 'import * as B from "@surety/core/B"', "B.parse")).toEqual([])
  expect(importing('import { layer } from "./A.js"', 'import { layer as other } from "./B.js"')).toEqual([])
  expect(importing('import { Schema } from "effect"', 'import { Schema } from "./Schema.js"')).toEqual([])
})

it("leaves packages alone that mirror the interface in their own words", () => {
  expect(
    importing('import { Refund } from "@surety/core/Refund"', 'import { Refund } from "@surety/client/Refund"')
  ).toEqual([])
})
