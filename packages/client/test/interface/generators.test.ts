import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { createClient } from "@hey-api/openapi-ts"
import openapiTypescript, { astToString } from "openapi-typescript"
import { afterAll, beforeAll, expect, it } from "vitest"

const document = fileURLToPath(new URL("../../../../docs/openapi.json", import.meta.url))
const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")

const options = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    module: "nodenext",
    types: []
  },
  include: ["**/*.ts"]
}

/** A merchant's program for each generator's output. The line after each `@ts-expect-error` must not compile. */
const programs = {
  "types.program.ts": `import type { operations, components } from "./types.js"
type Body = operations["refunds.create"]["requestBody"]["content"]["application/json"]
export const body: Body = { transaction_id: "payment_1", amount: 1000 }
export const amountOf = (refund: components["schemas"]["Refund"]): number => refund.amount
// @ts-expect-error a misspelt field
export const misspelt: Body = { amuont: 1000 }
`,
  "client.program.ts": `import { refundsCreate, accountWhoami } from "./client/index.js"
export const refund = () =>
  refundsCreate({ headers: { "Idempotency-Key": "refund-1" }, body: { transaction_id: "payment_1", amount: 1000 } })
export const whoami = () => accountWhoami()
// @ts-expect-error the idempotency key is required
export const unkeyed = () => refundsCreate({ body: { transaction_id: "payment_1" } })
`
}

let directory: string

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), "surety-generated-"))
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const compile = (): Promise<string> =>
  new Promise((resolve) =>
    execFile(process.execPath, [tsc, "-p", directory], (_, stdout, stderr) => resolve(stdout + stderr))
  )

it("clients that openapi-typescript and hey-api generate from the document compile", async () => {
  const types = astToString(await openapiTypescript(new URL(`file://${document}`)))
  writeFileSync(path.join(directory, "types.ts"), types)
  await createClient({
    input: document,
    output: { path: path.join(directory, "client"), module: { extension: ".js" } },
    logs: { level: "silent" },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"]
  })
  writeFileSync(path.join(directory, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(path.join(directory, "tsconfig.json"), JSON.stringify(options))
  for (const [name, code] of Object.entries(programs)) writeFileSync(path.join(directory, name), code)
  expect(await compile()).toBe("")
})
