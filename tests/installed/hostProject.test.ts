import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { placeEmbeddedDatabase } from "../../packages/postgres/test/EmbeddedDirectory.js"
import { programs } from "../../packages/verifier/test/readme/programs.js"
import { root } from "../../scripts/packages.ts"
import { importPaths } from "./EntryPoints.js"
import { embedProgram } from "./embedProgram.js"
import { type HostProject, installHostProject } from "./HostProject.js"
import { tsc } from "./InstalledPackage.js"
import { ownEnvironment, type PackedPackages, packPackages } from "./PackedPackage.js"
import { readmeBlocks } from "./readmeBlocks.js"

let packed: PackedPackages
let host: HostProject

const ofServer = createRequire(path.join(root, "packages/server/package.json"))
const nodes = {
  "Node 24": path.join(root, "node_modules/node/bin/node"),
  "Node 22": path.join(root, "node_modules/node22/bin/node")
}
const secrets = { SECRETS_KEY: Buffer.alloc(32, 7).toString("base64") }

/** Packages whose README blocks each compile as a separate module. */
const withModules = ["core", "http", "postgres", "testing", "webhooks"]

beforeAll(async () => {
  packed = await packPackages()
  host = await installHostProject(packed, {
    // The READMEs use Effect's platform package for Node, which hosts install themselves.
    "@effect/platform-node": ofServer("@effect/platform-node/package.json").version
  })
  await host.write("embed.mts", embedProgram)
}, 300_000)
afterAll(() => host?.[Symbol.asyncDispose]())

it("npm finds one version of each package that all agree on", async () => {
  expect(await host.treeFaults()).toBe("")
  const { stdout } = await host.run("npm", ["ls", "effect", "@surety/core", "--all", "--parseable"])
  expect(
    stdout
      .trim()
      .split("\n")
      .map((found) => path.relative(host.directory, found))
  ).toEqual([path.join("node_modules", "@surety", "core"), path.join("node_modules", "effect")])
})

describe("Modules as the READMEs have them", () => {
  const settings = {
    // Without `skipLibCheck`, so that our own declarations are checked too.
    nodenext: ["--module", "nodenext"],
    // Skips the declarations, since `nodenext` has checked them. "Are the types wrong" reports any that resolve
    // differently.
    bundler: ["--module", "esnext", "--moduleResolution", "bundler", "--skipLibCheck"]
  }

  it.each(Object.entries(settings))(
    "have their types under %s, also from CommonJS",
    async (how, flags) => {
      const blocks = withModules.flatMap((name) =>
        readmeBlocks(packed.get(name)).map((code, index) => ({ file: `readme/${name}${index}.ts`, code }))
      )
      expect(blocks.length).toBeGreaterThanOrEqual(withModules.length)
      const commonJs = {
        file: "readme/commonJs.cts",
        code: 'import { createSurety } from "@surety/embed"\nexport { createSurety }'
      }
      const modules = [...blocks, { file: "readme/embed.ts", code: embedProgram }]
      const files = how === "nodenext" ? [...modules, commonJs] : modules
      await host.write("readme/package.json", '{ "type": "module" }')
      for (const { file, code } of files) await host.write(file, code)
      const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2024"]
      const types = ["--types", "node", "--typeRoots", path.join(root, "node_modules/@types")]
      const args = [tsc, ...strict, ...types, ...flags, ...files.map(({ file }) => file)]
      const { code, stdout } = await host.run(nodes["Node 24"], args)
      expect([stdout, code]).toEqual(["", 0])
    },
    300_000
  )

  it.each(Object.entries(nodes))(
    "that embed it refund a payment on %s",
    async (_version, node) => {
      expect(await host.run(node, ["embed.mts"], secrets)).toMatchObject({ code: 0, stdout: "COMPLETED 1000\n" })
    },
    180_000
  )

  it("do so if the host's own condition is named `source`", async () => {
    const { code, stderr } = await host.run(nodes["Node 24"], ["--conditions=source", "embed.mts"], secrets)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  }, 180_000)
})

it.each(["@surety/embed", "@surety/embed/effect", "@surety/embed/testing"])(
  "%s says on an older Node that it needs a newer one, and nothing else",
  async (entry) => {
    const node20 = path.join(root, "node_modules/node20/bin/node")
    const { stdout: version } = await host.run(node20, ["--print", "process.versions.node"])
    await host.write("old.mjs", `import ${JSON.stringify(entry)}`)
    expect(await host.run(node20, ["old.mjs"], secrets)).toEqual({
      code: 1,
      stdout: "",
      stderr: `@surety/embed needs Node 22.19 or later; this is ${version.trim()}.\n`
    })
  }
)

describe("From CommonJS", () => {
  it.each(Object.entries(nodes))(
    'require("@surety/embed") works on %s, without a warning',
    async (_version, node) => {
      await host.write(
        "embed.cjs",
        `const { createSurety, memoryStore } = require("@surety/embed")
createSurety({ store: memoryStore(), secretsKey: process.env.SECRETS_KEY })
  .then(async (surety) => { console.log((await surety.ledger.trialBalance()).value.balanced); await surety.close() })`
      )
      expect(await host.run(node, ["embed.cjs"], secrets)).toEqual({ code: 0, stdout: "true\n", stderr: "" })
    },
    180_000
  )
})

describe("What merchants install", () => {
  it("the client's README talks to an embedded service", async () => {
    await host.write(
      "client.mts",
      `import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createClient } from "@surety/client"
import { createSurety, memoryStore, unwrap } from "@surety/embed"
const surety = await createSurety({ store: memoryStore(), secretsKey: process.env.SECRETS_KEY ?? "", targets: "any" })
const server = createServer(surety.nodeHandler)
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const application = { name: "Ada's Shop", legalName: "Ada Ltd", contactName: "Ada Obi", contactEmail: "ada@shop.example", country: "NG", businessType: "retail" }
const { id: merchantId } = unwrap(await surety.merchants.create(application))
const { secret: apiKey } = unwrap(await surety.apiKeys.create({ merchantId, environment: "TEST" }))
const baseUrl = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\`
const { testHelpers } = createClient({ apiKey, baseUrl })
const { serviceId } = await testHelpers.createConsumer({ display_name: "Ada Obi" })
const { transactionId } = await testHelpers.createPayment({ service_id: serviceId, amount: 2500.5 })
Object.assign(process.env, { SERVICE_API_KEY: apiKey, SERVICE_URL: baseUrl, ORDER: JSON.stringify({ id: "order-7", transactionId, serviceId }) })
await import("./clientReadme.mts")
server.close()
server.closeAllConnections()
await surety.close()`
    )
    const surroundings = `const order: { id: string; transactionId: string; serviceId: string } = JSON.parse(process.env.ORDER ?? "")
const queue = { add: async (job: unknown) => void console.log(job) }`
    await host.write(
      "clientReadme.mts",
      [surroundings, ...readmeBlocks(packed.get("client")), "export { few }"].join("\n")
    )
    const { code, stdout, stderr } = await host.run(nodes["Node 24"], ["client.mts"], secrets)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout.split("\n")).toEqual(
      expect.arrayContaining(["Ada's Shop, TEST", "COMPLETED 1000.5 NGN", "1500 NGN is left"])
    )
  }, 180_000)

  it("the verifier's README receives a delivery that its own helper signs", async () => {
    for (const file of ["webhooks.ts", "http.ts", "testing.ts"]) {
      await host.write(`verifier/${file}`, (programs()[file] ?? "").replace('"./webhooks"', '"./webhooks.ts"'))
    }
    await host.write("verifier/package.json", '{ "type": "module" }')
    await host.write(
      "verifier/main.ts",
      `import { start } from "./http.ts"
import { tryOut } from "./testing.ts"
Object.assign(globalThis, { markRefunded: (...refund: Array<unknown>) => console.log("refunded", ...refund) })
const server = start(async (port) => {
  process.env.RECEIVER_URL = \`http://127.0.0.1:\${port}/webhooks\`
  console.log((await tryOut()).status)
  server.closeAllConnections()
  server.close()
})`
    )
    const secret = { WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString("base64")}` }
    const { stdout, stderr } = await host.run(nodes["Node 24"], ["verifier/main.ts"], secret)
    expect(stderr).toBe("")
    expect(stdout).toMatch(/^refunded \S+ 100\n20\d\n$/)
  }, 180_000)
})

describe("The surety command", () => {
  it("tells its settings by npx", async () => {
    const { code, stdout } = await host.run("npx", ["--no", "--", "surety", "--help"])
    expect(code).toBe(0)
    expect(stdout).toContain("DATABASE_URL")
  }, 180_000)

  it("serves over the embedded database, and ends with 0 at SIGTERM", async () => {
    const dataDir = path.join(host.directory, "data")
    await placeEmbeddedDatabase(path.join(dataDir, "database"))
    const env = { ...ownEnvironment(), PORT: "0", DATA_DIR: dataDir, LOG_LEVEL: "warning" }
    const child = spawn(path.join(host.directory, "node_modules/.bin/surety"), ["serve"], { cwd: host.directory, env })
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    const url = await readyUrl(child).finally(() => child.kill("SIGTERM"))
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await ended).toBe(0)
  }, 300_000)
})

/** Returns the url in the server's ready line. Rejects if the server cannot start, or ends before printing it. */
const readyUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ""
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const url = /^surety listening on (\S+)$/m.exec(said)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`surety ended with ${code}: ${said}`)))
  })

describe("Sealed modules", () => {
  it("are there and cannot be imported", async () => {
    const inside = packed.get("postgres").files.find((file) => /^dist\/sql\/\w+\.js$/.test(file)) ?? ""
    const specifier = `@surety/postgres/${inside.slice("dist/".length, -".js".length)}`
    const { code, stderr } = await host.run(nodes["Node 24"], [
      "--input-type=module",
      "--eval",
      `await import("${specifier}")`
    ])
    expect(code).not.toBe(0)
    expect(stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED")
  })

  it("have a closed door in every package", async () => {
    const names = ["consent-page", "console", "core", "embed", "http", "server", "testing", "webhooks"]
    const specifiers = JSON.stringify(names.map((name) => `@surety/${name}/internal/any`))
    const program = `for (const one of ${specifiers}) await import(one).then(() => console.log(one), ({ code }) => console.log(code))`
    const { stdout } = await host.run(nodes["Node 24"], ["--input-type=module", "--eval", program])
    expect(stdout.trim().split("\n")).toEqual(names.map(() => "ERR_PACKAGE_PATH_NOT_EXPORTED"))
  })
})

it("importing every module there is does nothing: no output, no listener, no timer, nothing global", async () => {
  const needsRunner = (specifier: string) => specifier.startsWith("@surety/testing/")
  const specifiers = packed.all.flatMap(importPaths).filter((specifier) => !needsRunner(specifier))
  expect(specifiers.length).toBeGreaterThan(300)
  // Imports these libraries first, so that their side effects do not count as ours.
  const foreign = [
    "undici",
    "effect",
    "@effect/platform-node/NodeHttpClient",
    "@effect/platform-node/NodeHttpServer",
    "@effect/sql-pg/PgClient"
  ]
  await host.write("observe.mjs", readFileSync(path.join(import.meta.dirname, "observeImports.mjs"), "utf8"))
  const watched = { FIRST: JSON.stringify(foreign), WATCHED: JSON.stringify(specifiers) }
  expect(await host.run(nodes["Node 24"], ["observe.mjs"], watched)).toEqual({ code: 0, stdout: "[]\n", stderr: "" })
}, 300_000)
