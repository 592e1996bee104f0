import { execFile } from "node:child_process"
import { rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { createRequire } from "node:module"
import path from "node:path"
import { promisify } from "node:util"
import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { type BuildOptions, build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runInChromium } from "../../../../tests/installed/Chromium.js"
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

/** One file without imports: the program, and the package as it is built. */
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

/** A merchant of its own; the network breaks at the refund, the fourth request, on the way back and then on the way there. */
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

  it.each([
    ["import", "work.mjs"],
    ["require", "work.cjs"]
  ])("by %s", async (_how, file) => {
    expect((await run(executable, ["--version"])).stdout).toMatch(new RegExp(`^v${major}\\.`, "u"))
    const { stdout } = await run(executable, [path.join(consumer, file), JSON.stringify(await surroundings())])
    expect(JSON.parse(stdout)).toEqual(everything)
  })
})

it.each(["2024-01-01", "2026-11-01"])("on workerd as of %s a merchant's work is done", async (date) => {
  const worker = await startWorker(await bundleForWeb("workerEntry.ts"), date)
  const post = async () =>
    (await fetch(worker.url, { method: "POST", body: JSON.stringify(await surroundings()) })).json()
  expect(await post().finally(worker.stop)).toEqual(everything)
})

it("in Chromium no client can be made", async (context) => {
  const executable = MachineChromium.findOrSay(process.env)
  if (executable === undefined) return context.skip(MachineChromium.absent)
  const report = await runInChromium(executable, await bundleForWeb("pageEntry.ts"))
  expect(report).toEqual({ refused: expect.stringContaining("This runs in a browser") })
})
