import { execFile } from "node:child_process"
import { statSync } from "node:fs"
import { mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { placeEmbeddedDatabase } from "../../packages/postgres/test/EmbeddedDirectory.js"
import { filesBelow, root } from "../../scripts/packages.ts"
import { closedCleanly, closingProgram } from "./closingProgram.js"
import { embedProgram } from "./embedProgram.js"
import { makeProjectDirectory } from "./HostProject.js"
import { ownEnvironment, packPackages } from "./PackedPackage.js"

const run = promisify(execFile)
const require = createRequire(import.meta.url)

const nodes = {
  "Node 24": path.join(root, "node_modules/node/bin/node"),
  "Node 22": path.join(root, "node_modules/node22/bin/node")
}
const node20 = path.join(root, "node_modules/node20/bin/node")
const node = nodes["Node 24"]

let directory: string

const env = () => ({ ...ownEnvironment(), SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") })
const program = (file: string, ...args: ReadonlyArray<string>) =>
  run(node, [file, ...args], { cwd: directory, env: env() })
const write = (file: string, text: string) => writeFile(path.join(directory, file), text)

beforeAll(async () => {
  const { tarball } = (await packPackages()).get("embed")
  directory = await makeProjectDirectory()
  const dependencies = { "@surety/embed": `file:${tarball}` }
  await write("package.json", JSON.stringify({ private: true, type: "module", dependencies }))
  const npm = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
  await run("npm", npm, { cwd: directory, env: ownEnvironment() })
  await write("embed.ts", embedProgram)
  await placeEmbeddedDatabase(path.join(directory, "embedded"))
}, 300_000)
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

const bytesBelow = (place: string): number =>
  filesBelow(place).reduce((sum, file) => sum + statSync(path.join(place, file)).size, 0)

/** A module that prints the number and total bytes of a program's loaded modules. */
const counting = `import { registerHooks } from "node:module"
const seen = []
registerHooks({ load: (url, context, next) => {
  const loaded = next(url, context)
  if (url.startsWith("file:")) seen.push(Buffer.byteLength(loaded.source ?? ""))
  return loaded
} })
process.on("exit", () => console.log(JSON.stringify({ modules: seen.length, bytes: seen.reduce((a, b) => a + b, 0) })))
`

const imported = async (code: string): Promise<{ readonly modules: number; readonly bytes: number }> => {
  await write("counting.mjs", counting)
  await write("counted.mjs", code)
  const { stdout } = await run(node, ["--import", "./counting.mjs", "counted.mjs"], { cwd: directory, env: env() })
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
}

describe("@surety/embed as a host installs it", () => {
  it("is two packages and at most 60 MB", async () => {
    const installed = path.join(directory, "node_modules")
    const scoped = await Promise.all(
      (await readdir(installed))
        .filter((name) => name.startsWith("@"))
        .map(async (scope) => (await readdir(path.join(installed, scope))).map((name) => `${scope}/${name}`))
    )
    expect(scoped.flat().sort()).toEqual(["@electric-sql/pglite", "@surety/embed"])
    expect(bytesBelow(installed)).toBeLessThan(60_000_000)
  })

  it("imports few modules, and neither a database, the pages, an HTTP client nor the reference", async () => {
    const code = `import { postgresStore } from "@surety/embed"
postgresStore({ url: "postgres://shop:secret@127.0.0.1:1/shop" })`
    const { bytes, modules } = await imported(code)
    // An import of 1 MB takes a tenth of a second and 37 MB of memory. Other modules are loaded on use.
    expect(modules).toBeLessThan(20)
    expect(bytes).toBeGreaterThan(100_000)
    expect(bytes).toBeLessThan(2_000_000)
  })

  it("creates a Surety without the HTTP client that sends webhooks, the reference's script or PGlite", async () => {
    const code = `import { createSurety, memoryStore } from "@surety/embed"
const surety = await createSurety({ store: memoryStore(), secretsKey: process.env.SECRETS_KEY, targets: "any" })
await surety.close()`
    expect((await imported(code)).bytes).toBeLessThan(4_500_000)
  })

  it.each(Object.entries(nodes))(
    "refunds on %s, from ES modules and from CommonJS, without a warning",
    async (_, binary) => {
      const ended = await run(binary, ["embed.ts"], { cwd: directory, env: env() })
      expect(ended.stdout).toBe("COMPLETED 1000\n")
      await write(
        "embed.cjs",
        `const { createSurety, memoryStore } = require("@surety/embed")
createSurety({ store: memoryStore(), secretsKey: process.env.SECRETS_KEY })
  .then(async (surety) => { console.log((await surety.ledger.trialBalance()).value.balanced); await surety.close() })`
      )
      expect(await run(binary, ["embed.cjs"], { cwd: directory, env: env() })).toEqual({ stdout: "true\n", stderr: "" })
    }
  )

  it("delivers a webhook, serves the guides and the reference, opens PGlite, and runs its doctor", async () => {
    await write(
      "all.mjs",
      `import { createSurety, embeddedStore, migrations } from "@surety/embed"
import { createTestKit } from "@surety/embed/testing"
const kit = await createTestKit()
await kit.surety.refunds.create({ ...kit.scope, idempotencyKey: "a", transactionId: "order-1", amount: 1 })
await kit.runUntilIdle()
const get = async (path) => (await kit.surety.handler(new Request("http://shop.example" + path))).text()
console.log(kit.inbox.of("refund.completed").length)
const reference = await get("/docs/reference")
const script = await get("/docs/" + reference.match(/assets\\/reference-\\w+\\.js/)[0])
console.log((await get("/docs")).includes("<title>"), script.includes("createApiReference"))
await kit.close()
const surety = await createSurety({ store: embeddedStore({ dataDir: "embedded" }), secretsKey: process.env.SECRETS_KEY, targets: "any" })
await surety.ready()
await surety.workers.runOnce()
await surety.close()
console.log(migrations.sql().includes("create table"))
`
    )
    expect((await program("all.mjs")).stdout).toBe("1\ntrue true\ntrue\n")
    const doctor = path.join(directory, "node_modules/.bin/surety-embed")
    expect((await run(doctor, ["--help"], { cwd: directory, env: env() })).stdout).toContain("surety-embed doctor")
  })

  it("has its types without Effect, in strict programs that skip no library", async () => {
    await write(
      "types.ts",
      `import { createSurety, memoryStore, type Surety, type SuretyOptions, unwrap } from "@surety/embed"
import { createTestKit } from "@surety/embed/testing"
export const tell = async (options: SuretyOptions): Promise<string> => {
  const surety = await createSurety({ ...options, store: memoryStore() })
  const refund: Surety.Refund = unwrap(await surety.refunds.get({ merchantId: "m", environment: "TEST", refundId: "r" }))
  // @ts-expect-error an amount is a number
  const amount: string = refund.amount
  const found = await surety.consumers.get({ environment: "TEST", userId: "u" })
  return found.ok ? \`\${amount} \${refund.status} \${found.value.displayName}\` : found.error._tag
}
export const kit = createTestKit
`
    )
    const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2024", "--module", "nodenext"]
    const types = ["--types", "node", "--typeRoots", path.join(root, "node_modules/@types")]
    const tsc = path.join(path.dirname(require.resolve("typescript/package.json")), "bin/tsc")
    const said = await program(tsc, ...flags, ...types, "types.ts", "embed.ts").catch((failed) => failed)
    expect([said.stdout, said.code ?? 0]).toEqual(["", 0])
  })

  it("says on an older Node that it needs a newer one, and nothing else", async () => {
    await write("old.mjs", 'import "@surety/embed"')
    const { stdout: version } = await run(node20, ["--print", "process.versions.node"])
    const doctor = "node_modules/@surety/embed/dist/published/cli.js"
    for (const args of [["old.mjs"], [doctor, "doctor", "--config", "./surety.ts"]]) {
      const ended = await run(node20, args, { cwd: directory, env: env() }).then(
        () => undefined,
        ({ code, stderr, stdout }) => ({ code, stdout, stderr })
      )
      expect(ended).toEqual({
        code: 1,
        stdout: "",
        stderr: `@surety/embed needs Node 22.19 or later; this is ${version.trim()}.\n`
      })
    }
  })

  it("is one Surety with one set of workers however often Vite reloads the module that creates it", async () => {
    await write(
      "reloaded.js",
      `import { createSurety, memoryStore } from "@surety/embed"
const create = async () => {
  globalThis.created = (globalThis.created ?? 0) + 1
  const surety = await createSurety({ store: memoryStore(), secretsKey: process.env.SECRETS_KEY, targets: "any" })
  await surety.workers.start()
  return surety
}
globalThis.surety ??= create()
export const surety = globalThis.surety
`
    )
    await write(
      "vite.mjs",
      `import { createServer } from ${JSON.stringify(pathToFileURL(require.resolve("vite")).href)}
const server = await createServer({ root: ${JSON.stringify(directory)}, server: { middlewareMode: true, ws: false, watch: null }, appType: "custom", logLevel: "error" })
const first = await server.ssrLoadModule("/reloaded.js")
server.moduleGraph.invalidateAll()
const second = await server.ssrLoadModule("/reloaded.js")
console.log(first !== second, first.surety === second.surety, globalThis.created, (await second.surety).workers.isRunning())
await server.close()
await (await second.surety).close()
`
    )
    expect((await program("vite.mjs")).stdout).toBe("true true 1 true\n")
  })

  it("works under Jest as the page says: by import, and by require on a recent Node", async () => {
    const place = path.join(directory, "jest")
    await mkdir(place)
    const npm = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    await writeFile(
      path.join(place, "package.json"),
      JSON.stringify({ private: true, dependencies: { jest: "30.5.2" } })
    )
    await run("npm", npm, { cwd: place, env: ownEnvironment() })
    await writeFile(path.join(place, "jest.config.json"), JSON.stringify({ transform: {}, roots: ["<rootDir>"] }))
    await writeFile(
      path.join(place, "kit.test.js"),
      `let embed, testing
beforeAll(async () => {
  embed = await import("@surety/embed")
  testing = await import("@surety/embed/testing")
}, 60_000)
test("by import", async () => {
  const kit = await testing.createTestKit()
  embed.unwrap(await kit.surety.refunds.create({ ...kit.scope, idempotencyKey: "a", transactionId: "order-1", amount: 1 }))
  await kit.runUntilIdle()
  expect(kit.inbox.of("refund.completed").map(({ payload }) => payload.amount)).toEqual([1])
  await kit.close()
}, 60_000)
if (process.env.BY_REQUIRE) test("by require", () => {
  expect(typeof require("@surety/embed").createSurety).toBe("function")
}, 60_000)
`
    )
    const jest = (binary: string, more: Readonly<Record<string, string>>) =>
      run(binary, ["--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--runInBand", "--json"], {
        cwd: place,
        env: { ...env(), ...more }
      }).then(({ stdout }) => JSON.parse(stdout))
    expect(await jest(node, { BY_REQUIRE: "1" })).toMatchObject({ success: true, numPassedTests: 2 })
    expect(await jest(nodes["Node 22"], {})).toMatchObject({ success: true, numPassedTests: 1 })
  }, 240_000)

  it("checks a wallet by its laws under node:test, and fails for one that credits twice", async () => {
    await write(
      "laws.test.mjs",
      `import assert from "node:assert"
import { test } from "node:test"
import { walletLaws } from "@surety/embed/testing"
const bank = (once) => {
  const kobo = new Map()
  const credited = new Set()
  const wallet = {
    credit: async ({ amountMinor, refundId, userId }) => {
      if (!kobo.has(userId)) return { declined: "no such user" }
      if (!(once && credited.has(refundId))) kobo.set(userId, kobo.get(userId) + amountMinor)
      credited.add(refundId)
      return { credited: true }
    },
    lookup: async ({ refundId }) => (credited.has(refundId) ? { credited: true } : { notKnown: true })
  }
  const makeCustomer = async () => { kobo.set("user-" + kobo.size, 0n); return "user-" + (kobo.size - 1) }
  return { wallet, makeCustomer, balanceOf: async (userId) => kobo.get(userId) }
}
test("sound", () => walletLaws(bank(true)))
test("broken", () => assert.rejects(walletLaws(bank(false)), /LawsBroken.+credits once/s))
`
    )
    const { stdout } = await program("--test", "--test-reporter=tap", "laws.test.mjs")
    expect(stdout).toMatch(/^# pass 2$/m)
  })

  it.each(["memoryStore()", 'embeddedStore({ dataDir: "embedded" })'])(
    "leaves nothing that keeps the process alive when closed: %s",
    async (store) => {
      await write("closing.mjs", closingProgram(`embed.${store}`))
      expect((await program("closing.mjs")).stdout).toBe(closedCleanly)
    },
    60_000
  )

  it("serves a serverless function: no workers, all that is due by one call, and a process that ends on its own", async () => {
    await write(
      "cron.mjs",
      `import { createTestKit } from "@surety/embed/testing"
const kit = await createTestKit()
await kit.surety.refunds.create({ ...kit.scope, idempotencyKey: "a", transactionId: "order-1", amount: 1 })
console.log(kit.surety.workers.isRunning(), kit.inbox.of("refund.completed").length)
await kit.surety.workers.runOnce()
console.log(kit.surety.workers.isRunning(), kit.inbox.of("refund.completed").length)
await kit.close()
`
    )
    expect((await program("cron.mjs")).stdout).toBe("false 0\nfalse 1\n")
  })
})
