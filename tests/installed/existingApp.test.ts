import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { hostDatabase, migratedDatabase } from "../../packages/embed/test/HostDatabase.js"
import { placeOf } from "../../packages/server/test/docs/Fence.js"
import { followPage } from "../../packages/server/test/docs/followPage.js"
import { makeShell } from "../../packages/server/test/docs/Shell.js"
import { steadyText } from "../../packages/server/test/docs/Shown.js"
import { freePort } from "../../packages/testing/src/machine/FreePort.js"
import { root } from "../../scripts/packages.ts"
import { closedCleanly, closingProgram } from "./closingProgram.js"
import { ownEnvironment, type PackedPackages, packPackages } from "./PackedPackage.js"

const run = promisify(execFile)
const page = "docs/embedding/existing-app.md"

let packed: PackedPackages
let directory: string

/** pnpm links only packages that the project names, so an import of any other package fails. */
beforeAll(async () => {
  packed = await packPackages()
  directory = await mkdtemp(path.join(tmpdir(), "surety-shop-"))
  const dependencies = { "@surety/embed": `file:${packed.get("embed").tarball}`, express: "^5.0.0", pg: "^8.11.0" }
  await writeFile(path.join(directory, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }))
  await writeFile(path.join(directory, "pnpm-workspace.yaml"), "packages: []\n")
  const pnpm = ["--yes", "--prefer-offline", "pnpm", "install", "--prefer-offline", "--ignore-scripts"]
  await run("npx", pnpm, { cwd: directory, env: ownEnvironment(), maxBuffer: 2 ** 26 })
}, 400_000)

afterAll(async () => {
  if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 5 })
})

/**
 * Returns the `@surety` modules that embed's documentation imports. Skips blocks that import `effect`, since these are
 * for hosts that also install core.
 */
const documented = (): ReadonlyArray<string> => {
  const pages = [...globSync("docs/embedding/*.md", { cwd: root }), "packages/embed/README.md"]
  const blocks = pages.flatMap((file) =>
    Array.from(readFileSync(path.join(root, file), "utf8").matchAll(/^```ts.*?\n(.*?)^```/gms), ([, code = ""]) => code)
  )
  const promised = blocks.filter((code) => !/ from "effect[/"]/.test(code))
  return [
    ...new Set(promised.flatMap((code) => Array.from(code.matchAll(/"(@surety\/[^"]+)"/g), ([, name = ""]) => name)))
  ]
}

describe("With @surety/embed as its only package of ours, installed by pnpm, a host", () => {
  it("can import what the pages import", async () => {
    const names = [...documented(), "@surety/embed/testing"]
    assert.include(names, "@surety/embed")
    const program = `for (const name of ${JSON.stringify(names)}) await import(name)
const hidden = await import("@surety/core/Ids").then(() => "found", () => "hidden")
console.log(hidden)`
    await writeFile(path.join(directory, "imports.mjs"), program)
    const { stdout } = await run(process.execPath, ["imports.mjs"], { cwd: directory, env: ownEnvironment() })
    assert.strictEqual(stdout, "hidden\n", "the tree is strict, so the imports prove something")
  })

  it.each([
    ["a url", "embed.postgresStore({ url: process.env.DATABASE_URL })", "", ""],
    [
      "the host's pool",
      "embed.postgresStore({ pool })",
      'import pg from "pg"\nconst pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })',
      "await pool.end()"
    ]
  ])(
    "leaves nothing that keeps its process alive when closed, over %s",
    async (_, store, imports, end) => {
      const env = {
        ...ownEnvironment(),
        DATABASE_URL: await migratedDatabase(),
        SECRETS_KEY: Buffer.alloc(32, 7).toString("base64")
      }
      await writeFile(path.join(directory, "closing.mjs"), closingProgram(store, { imports, end }))
      const { stdout } = await run(process.execPath, ["closing.mjs"], { cwd: directory, env })
      assert.strictEqual(stdout, closedCleanly)
    },
    120_000
  )

  it.live(
    "comes from its own users and wallets to a refund by what the page says",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(hostDatabase)
        const port = String(yield* Effect.promise(freePort))
        const shell = makeShell(directory, {
          arrive: (text) =>
            text.replaceAll("postgres://shop:secret@127.0.0.1:5432/shop", url).replaceAll(/\b3000\b/g, port),
          show: (text) => text.replaceAll(port, "3000")
        })
        const shown: Array<string> = []
        yield* followPage(page, shell, ({ fence, printed }) => {
          const steady = (text: string): unknown => (fence.language === "json" ? JSON.parse(text) : steadyText(text))
          assert.deepStrictEqual(steady(printed), steady(fence.code), placeOf(fence))
          shown.push(fence.code.trim())
        })
        assert.lengthOf(shown, 7)
      }).pipe(Effect.scoped),
    300_000
  )
})
