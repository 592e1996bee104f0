import { execFile } from "node:child_process"
import path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { surroundings } from "../support/ServerProcess.js"

const run = promisify(execFile)

const root = path.resolve(import.meta.dirname, "../../../..")
const main = path.join(root, "packages/server/dist/published/main.js")
const node22 = path.join(root, "node_modules/node22/bin/node")

/** Source of a module that prints, at exit, the number of files loaded as modules and their total size in bytes. */
const counting = `import { registerHooks } from "node:module"
let modules = 0
let bytes = 0
registerHooks({ load: (url, context, next) => {
  const loaded = next(url, context)
  if (url.startsWith("file:")) { modules += 1; bytes += Buffer.byteLength(loaded.source ?? "") }
  return loaded
} })
process.on("exit", () => process.stderr.write(JSON.stringify({ modules, bytes })))`

const loadedBy = async (
  ...args: ReadonlyArray<string>
): Promise<{ readonly modules: number; readonly bytes: number }> => {
  const hook = `data:text/javascript,${encodeURIComponent(counting)}`
  const { stderr } = await run(process.execPath, ["--import", hook, main, ...args], { env: {} })
  return JSON.parse(stderr)
}

describe("The surety command loads", () => {
  it("neither a command nor a setting to tell its version", async () => {
    const { bytes, modules } = await loadedBy("--version")
    assert.isAbove(bytes, 100_000)
    assert.isBelow(bytes, 2_000_000)
    assert.isBelow(modules, 30)
  })

  it("no command to list them all", async () => {
    assert.isBelow((await loadedBy("--help")).bytes, 3_000_000)
  })

  it("of the commands only the one that is named", async () => {
    const verify = await loadedBy("verify", "--help")
    const operator = await loadedBy("operator", "--help")
    const serve = await loadedBy("serve", "--help")
    // `operator` loads the API definition; `serve` also loads the HTTP server. Neither loads the reference page, which
    // would add 3 MB.
    assert.isBelow(verify.bytes, operator.bytes)
    assert.isBelow(operator.bytes, serve.bytes)
    assert.isBelow(serve.bytes, 8_000_000)
    assert.isBelow(serve.modules, 60)
  })

  it.each([
    "migrate",
    "doctor",
    "merchant",
    "key",
    "webhook",
    "person",
    "retention",
    "archive",
    "partition",
    "cells",
    "breach"
  ])("%s, as it is published", async (command) => {
    const { stderr, stdout } = await run(process.execPath, [main, command, "--help"], { env: surroundings })
    assert.strictEqual(stderr, "")
    assert.include(stdout, `surety ${command}`)
  })

  it("on the oldest Node that it supports, without a warning", async () => {
    const { stderr, stdout } = await run(node22, [main, "--help"], { env: {} })
    assert.strictEqual(stderr, "")
    assert.include(stdout, "DATABASE_URL")
  })
})
