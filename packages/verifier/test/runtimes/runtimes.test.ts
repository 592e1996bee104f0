import { execFile } from "node:child_process"
import { rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import path from "node:path"
import { promisify } from "node:util"
import * as MachineChromium from "@surety/testing/machine/MachineChromium"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { runInChromium } from "../../../../tests/installed/Chromium.js"
import { startWorker, type Worker } from "../../../../tests/installed/Workerd.js"
import { sign } from "../../src/testing.js"
import { ensureBuilt, installInto } from "../Installed.js"
import { bundleForNode, bundleForWeb, vectors } from "./bundle.js"
import type { RuntimeReport } from "./RuntimeReport.js"
import { secret } from "./suite/delivery.js"
import { suite } from "./suite/Suite.js"

const run = promisify(execFile)
const allPassed = { passed: suite(vectors).map(({ name }) => name), failed: [] }

it("the suite is worth its name", () => {
  expect(vectors.length).toBeGreaterThanOrEqual(8)
  expect(new Set(allPassed.passed).size).toBe(allPassed.passed.length)
  expect(allPassed.passed.length).toBeGreaterThanOrEqual(40)
})

describe.each([
  ["20", "node20"],
  ["22", "node22"],
  ["24", "node"]
])("on Node %s the suite passes", (major, installed) => {
  const executable = path.join(
    path.dirname(createRequire(import.meta.url).resolve(`${installed}/package.json`)),
    "bin/node"
  )
  let consumer = ""

  beforeAll(async () => {
    consumer = await installInto()
    await writeFile(path.join(consumer, "suite.mjs"), await bundleForNode("esm"))
    await writeFile(path.join(consumer, "suite.cjs"), await bundleForNode("cjs"))
  })
  afterAll(() => rm(consumer, { recursive: true, force: true }))

  it.each([
    ["import", "suite.mjs", "node:crypto", []],
    ["require", "suite.cjs", "node:crypto", []],
    ["import", "suite.mjs", "WebCrypto", ["--without-builtins"]],
    ["require", "suite.cjs", "WebCrypto", ["--without-builtins"]]
  ])("by %s (%s), with %s", async (_how, file, engine, flags) => {
    expect((await run(executable, ["--version"])).stdout).toMatch(new RegExp(`^v${major}\\.`, "u"))
    const { stdout } = await run(executable, [path.join(consumer, file), ...flags])
    const { passed, failed, usedNodeCrypto }: RuntimeReport = JSON.parse(stdout)
    expect({ passed, failed }).toEqual(allPassed)
    expect(usedNodeCrypto).toBe(engine === "node:crypto")
  })
})

describe("on workerd, the runtime of Cloudflare's workers,", () => {
  const workers: Array<Worker> = []
  const start = async (compatibilityDate: string) => {
    await ensureBuilt()
    const worker = await startWorker(await bundleForWeb("workerEntry.ts"), compatibilityDate)
    workers.push(worker)
    return worker
  }
  afterEach(() => Promise.all(workers.splice(0).map(({ stop }) => stop())))

  it.each([
    ["without Node's built-ins", "2024-01-01", false],
    ["with those that newer workers have", "2026-11-01", true]
  ])("the suite passes %s (%s)", async (_how, compatibilityDate, hasBuiltins) => {
    const { url } = await start(compatibilityDate)
    const { passed, failed, nodeGlobals, usedNodeCrypto }: RuntimeReport = JSON.parse(await get(`${url}/suite`))
    expect({ passed, failed }).toEqual(allPassed)
    expect([nodeGlobals.includes("process"), usedNodeCrypto]).toEqual([hasBuiltins, hasBuiltins])
  })

  it.each(["2024-01-01", "2026-11-01"])("one handler serves many requests at the same moment (%s)", async (date) => {
    const { url } = await start(date)
    const ids = Array.from({ length: 20 }, (_, index) => `event_${index}`)
    const post = async (id: string) => {
      const signed = await sign({ id, secrets: secret, topic: "refund.completed", payload: '{"refundId":"refund_1"}' })
      return (await fetch(`${url}/webhooks`, { method: "POST", ...signed })).json()
    }
    expect(await Promise.all(ids.map(post))).toEqual(ids.map(() => ({ outcome: "processed" })))
    expect(await Promise.all(ids.map(post))).toEqual(ids.map(() => ({ outcome: "duplicate" })))
    expect(JSON.parse(await get(`${url}/ran`)).sort()).toEqual(ids.toSorted())
  })
})

const get = async (url: string): Promise<string> => (await fetch(url)).text()

describe("in Chromium", () => {
  it("the suite passes", async (context) => {
    const executable = MachineChromium.findOrSay(process.env)
    if (executable === undefined) return context.skip(MachineChromium.absent)
    await ensureBuilt()
    const report = await runInChromium(executable, await bundleForWeb("pageEntry.ts"))
    expect(report).toEqual({ ...allPassed, nodeGlobals: [], usedNodeCrypto: false })
  })
})
