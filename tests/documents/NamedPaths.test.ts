import { expect, it } from "vitest"
import { missingFiles, missingRoutes } from "./NamedPaths.js"

const known = new Set(["docs/tour.md", "packages/core/src/Money.ts", "packages/core", "tests/a.test.ts"])
const missing = (text: string) => missingFiles("docs/tour.md", text, (file) => known.has(file))

it("accepts links relative to the page, and paths from the root or from a package's sources", () => {
  expect(missing("[a](../packages/core/src/Money.ts), [b](#names), [c](https://example.com/x.ts)")).toEqual([])
  expect(missing("`packages/core`, `packages/core/src/Money.ts`, `core/Money.ts`, `tests/a.test.ts`")).toEqual([])
})

it("accepts paths from a readme's own directory", () => {
  const exists = (file: string) => file === "examples/shop/src/App.ts"
  expect(missingFiles("examples/shop/README.md", "`src/App.ts`, `src/Nothing.ts`", exists)).toEqual([
    "examples/shop/README.md: src/Nothing.ts does not exist"
  ])
})

it("reports files that do not exist", () => {
  expect(missing("[a](../packages/core/src/Monies.ts)")).toEqual([
    "docs/tour.md: ../packages/core/src/Monies.ts does not exist"
  ])
  for (const name of ["core/Monies.ts", "packages/core/src/Monies.ts", "packages/nothing", "tests/b.test.ts"]) {
    expect(missing(`see \`${name}\``)).toEqual([`docs/tour.md: ${name} does not exist`])
  }
})

it("leaves routes, import paths, patterns and blocks of code alone", () => {
  expect(missing("`POST /v1/refunds`, `effect/http`, `/consent/{token}`, `docs/*.md`, `*.generated.ts`")).toEqual([])
  expect(missing("```ts\nread(`core/Nothing.ts`)\n```\n")).toEqual([])
})

it("reports routes that do not exist, in any notation of their parameters", () => {
  const routes = (text: string) => missingRoutes("docs/tour.md", text, ["/v1/refunds", "/v1/grants/{grantId}"])
  expect(routes("POST /v1/refunds, `GET /v1/grants/{id}`, GET /v1/grants/:id. GET /v1/grants/$GRANT")).toEqual([])
  expect(routes("Refund with POST /v1/refund.")).toEqual(["docs/tour.md: /v1/refund. does not exist"])
  expect(routes("GET /v1/grants")).toEqual(["docs/tour.md: /v1/grants does not exist"])
})
