import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { tsc } from "../../../../tests/installed/InstalledPackage.js"
import { createClient } from "../../src/index.js"
import { installInto, packageDirectory } from "../Installed.js"
import { baseUrl, makeKey, makePayment, makeService } from "../Service.js"
import { type Network, startNetwork } from "../UnreliableNetwork.js"

const run = promisify(execFile)
const readme = readFileSync(path.join(packageDirectory, "README.md"), "utf8")
const blocks = Array.from(readme.matchAll(/^```ts\n(?<code>.*?)^```$/gmsu), ({ groups }) => groups?.code ?? "")

const service = makeService()
let network: Network
let consumer = ""

/** Declarations that the README assumes in a shop's code. */
const surroundings = `
const order: { readonly id: string; readonly transactionId: string; readonly serviceId: string } = JSON.parse(process.env.ORDER ?? "")
const queue = { add: async (job: { readonly orderId: string; readonly idempotencyKey: string }) => void console.log(job) }
`

beforeAll(async () => {
  network = await startNetwork(service.fetch, baseUrl)
  consumer = await installInto(["@types/node"])
  // The README's TypeScript blocks form one program, in order.
  await writeFile(path.join(consumer, "readme.mts"), [surroundings, ...blocks, "export { few }"].join("\n"))
})
afterAll(async () => {
  await network[Symbol.asyncDispose]()
  await rm(consumer, { recursive: true, force: true })
})

it("has no block of code that is not part of the program", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(9)
  expect(readme.match(/^```/gmu)).toHaveLength(2 * (blocks.length + 2))
})

it("its program's types are right under strict settings", async () => {
  const settings = [
    "--strict",
    "--noUncheckedIndexedAccess",
    "--exactOptionalPropertyTypes",
    "--noEmit",
    "--skipLibCheck"
  ]
  const target = ["--target", "es2023", "--module", "nodenext", "--types", "node", "--preserveSymlinks"]
  const { stdout } = await run(process.execPath, [tsc, ...settings, ...target, "readme.mts"], { cwd: consumer }).catch(
    (failed: { readonly stdout: string }) => failed
  )
  expect(stdout).toBe("")
})

it("its program does what it says", async () => {
  const apiKey = await makeKey(service)
  const { serviceId, transactionId } = await makePayment(createClient({ apiKey, baseUrl, fetch: service.fetch }))
  const env = {
    SERVICE_API_KEY: apiKey,
    SERVICE_URL: network.url,
    ORDER: JSON.stringify({ id: "order-7", transactionId, serviceId })
  }
  const { stderr, stdout } = await run(process.execPath, ["readme.mts"], { cwd: consumer, env })
  const withoutIds = stdout
    .replace(/refund_\w+/gu, "refund_…")
    .trim()
    .split("\n")
  expect(withoutIds).toEqual([
    "Ada's Shop, TEST",
    "COMPLETED 1000.5 NGN",
    "true true",
    "COMPLETED",
    "PENDING",
    "not yet",
    "VERIFIED MATCH",
    "1500 NGN is left",
    "true",
    ...["refund_… 500", "refund_… 1000.5"],
    "2 undefined",
    "100070n",
    ...["credited 1000.5", "credited 500"],
    "2500.5",
    "Ada Obi"
  ])
  expect(stderr).toBe("")
})

describe("its claims", () => {
  it("of its size hold", async () => {
    const { outputFiles } = await build({
      entryPoints: [path.join(packageDirectory, "src/index.ts")],
      bundle: true,
      format: "esm",
      minify: true,
      write: false
    })
    const claimed = Number(/(\d+) KB/u.exec(readme)?.[1])
    const kilobytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1024
    expect(kilobytes).toBeLessThanOrEqual(claimed)
    expect(kilobytes).toBeGreaterThan(claimed - 1.5)
  })
})
