import { execFile } from "node:child_process"
import { rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import path from "node:path"
import { promisify } from "node:util"
import { isLeftOut } from "@surety/testing/machine/LeftOut"
import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { type BuildOptions, build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runInChromium } from "../../../../tests/installed/Chromium.js"
import { otherRuntimes } from "../../../../tests/installed/Runtimes.js"
import { startWorker } from "../../../../tests/installed/Workerd.js"
import { ensureBuilt, installInto, packageDirectory } from "../Installed.js"
import { baseUrl, makeKey, makeService } from "../Service.js"
import { type Network, startNetwork } from "../UnreliableNetwork.js"
import type { Surroundings } from "./exercise.js"

const run = promisify(execFile)
const service = makeService()
let network: Network
let deadUrl = ""
let redirect: ReturnType<typeof createServer>

const bundle = async (entry: string, options: BuildOptions): Promise<string> => {
  const entryPoints = [path.join(import.meta.dirname, entry)]
  const { outputFiles } = await build({
    entryPoints,
    bundle: true,
    logLevel: "error",
    target: "es2022",
    ...options,
    write: false
  })
  return outputFiles[0]?.text ?? ""
}

/** Bundles the program `entry` and the built package into one file without imports. */
const bundleForWeb = async (entry: string): Promise<string> => {
  await ensureBuilt()
  const alias = { "@surety/client": path.join(packageDirectory, "dist/index.js") }
  return bundle(entry, { format: "esm", platform: "neutral", alias })
}

beforeAll(async () => {
  network = await startNetwork(service.fetch, baseUrl)
  const gone = await startNetwork(service.fetch, baseUrl)
  deadUrl = gone.url
  await gone[Symbol.asyncDispose]()
  redirect = createServer((_, response) => void response.writeHead(307, { location: `${network.url}/v1/whoami` }).end())
  await new Promise<void>((resolve) => redirect.listen(0, "127.0.0.1", resolve))
})
afterAll(async () => {
  redirect.closeAllConnections()
  redirect.close()
  await network[Symbol.asyncDispose]()
})

/**
 * Prepares a run with its own merchant. The run's fourth request is a refund. The network loses the refund's response,
 * and then the first repeated request.
 */
const surroundings = async (): Promise<Surroundings> => {
  network.next("arrives", "arrives", "arrives", "breaks on the way back", "breaks on the way there")
  const address = redirect.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { apiKey: await makeKey(service), baseUrl: network.url, deadUrl, redirectUrl: `http://127.0.0.1:${port}` }
}

const everything = {
  done: [
    "TEST",
    "1000 3 true ConnectionFailed,ConnectionFailed",
    "1500.5 left",
    "2 events",
    "no connection",
    "no redirect followed"
  ]
}

describe.each([
  ["20", "node20"],
  ["22", "node22"],
  ["24", "node"]
])("on Node %s a merchant's work is done", (major, installed) => {
  const executable = path.join(
    path.dirname(createRequire(import.meta.url).resolve(`${installed}/package.json`)),
    "bin/node"
  )
  let consumer = ""

  beforeAll(async () => {
    consumer = await installInto()
    for (const [file, format] of [["work.mjs", "esm"] as const, ["work.cjs", "cjs"] as const]) {
      const code = await bundle("nodeEntry.ts", { format, platform: "node", external: ["@surety/*"] })
      await writeFile(path.join(consumer, file), code)
    }
  })
  afterAll(() => rm(consumer, { recursive: true, force: true }))

  it("the package's command runs", async () => {
    const command = path.join(packageDirectory, "dist/cli/main.js")
    const env = { SURETY_API_KEY: "sk_test_1" }
    expect((await run(executable, [command, "listen", "--print-secret"], { env })).stdout).toMatch(/^whsec_.{43}=\n$/u)
    const listed = await run(executable, [command, "trigger", "--list"])
    expect(listed.stdout).toContain("refund.completed")
    const refused = await run(executable, [command, "listen", "--api-key", "sk_live_1"]).catch((error) => error)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("LIVE") })
  })

  it.each([
    ["import", "work.mjs"],
    ["require", "work.cjs"]
  ])("by %s", async (_how, file) => {
    expect((await run(executable, ["--version"])).stdout).toMatch(new RegExp(`^v${major}\\.`, "u"))
    const { stdout } = await run(executable, [path.join(consumer, file), JSON.stringify(await surroundings())])
    expect(JSON.parse(stdout)).toEqual(everything)
  })
})

describe.each(otherRuntimes(import.meta.url))(
  "on $name a merchant's work is done",
  ({ args, executable, resends, version }) => {
    let consumer = ""

    beforeAll(async () => {
      consumer = await installInto()
      await writeFile(path.join(consumer, "package.json"), "{}")
      for (const [file, format] of [["work.mjs", "esm"] as const, ["work.cjs", "cjs"] as const]) {
        const code = await bundle("nodeEntry.ts", { format, platform: "node", external: ["@surety/*"] })
        await writeFile(path.join(consumer, file), code)
      }
    })
    afterAll(() => rm(consumer, { recursive: true, force: true }))

    it.each([
      ["import", "work.mjs"],
      ["require", "work.cjs"]
    ])("by %s", async (_how, file) => {
      expect((await run(executable, ["--version"])).stdout).toMatch(version)
      const given = [...args, path.join(consumer, file), JSON.stringify(await surroundings())]
      const before = network.seen.length
      const { stdout } = await run(executable, given, { cwd: consumer })
      // The first refund takes three requests. The client counts all three, or only two if the runtime resends one
      // itself.
      const refunded = resends ? "1000 2 true ConnectionFailed" : everything.done[1]
      expect(JSON.parse(stdout)).toEqual({ done: everything.done.with(1, String(refunded)) })
      const refunds = network.seen
        .slice(before)
        .filter(({ method, path: to }) => method === "POST" && to === "/v1/refunds")
      expect(refunds).toHaveLength(4)
      expect(new Set(refunds.slice(0, 3).map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    })
  }
)

it.each(["2024-01-01", "2026-11-01"])("on workerd as of %s a merchant's work is done", async (date) => {
  const worker = await startWorker(await bundleForWeb("workerEntry.ts"), date)
  const post = async () =>
    (await fetch(worker.url, { method: "POST", body: JSON.stringify(await surroundings()) })).json()
  expect(await post().finally(worker.stop)).toEqual(everything)
})

it.skipIf(isLeftOut(process.env, "SKIP_BROWSER"))("in Chromium no client can be made", async () => {
  const report = await runInChromium(MachineChromium.find(process.env), await bundleForWeb("pageEntry.ts"))
  expect(report).toEqual({ refused: expect.stringContaining("This runs in a browser") })
})
