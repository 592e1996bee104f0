import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { main, runSurety, surroundings } from "../support/ServerProcess.js"

/** Timeout in milliseconds. Each command is a separate process, which takes seconds to start on a busy machine. */
const patience = 240_000

const canary = "ada.obi@canary.example"

/**
 * Node option that simulates a faulty dependency. Once the process listens for uncaught exceptions, a timer runs
 * `failure` outside every handler.
 */
const failing = (failure: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const error = Object.assign(new Error("Key (email)=(${canary}) already exists", {
      cause: Object.assign(new SyntaxError('"${canary}" is not valid JSON'), { input: "${canary}" })
    }), { code: "23505", detail: "${canary}" })
    process.on("newListener", (name) => { if (name === "uncaughtException") setTimeout(() => { ${failure} }) })`
  )}`

const endings = {
  "an exception": "throw error",
  "a rejection": "Promise.reject(error)",
  "a rejection with a string": `Promise.reject("${canary}")`,
  "an exception whose message looks like a stack": `throw new Error("no\\n    at ${canary}")`,
  "an exception whose name is not one": `throw Object.assign(error, { name: "${canary}", code: "${canary}" })`
}

describe("An error that nothing catches", () => {
  it.each(Object.entries(endings))(
    "ends the process without what the error holds: %s",
    async (_, failure) => {
      const { code, stderr, stdout } = await runSurety(["serve"], {
        NODE_OPTIONS: failing(failure),
        DATABASE_URL: "postgres://surety@localhost:1/none"
      })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.match(stderr, /^Surety stops: uncaught error\. /)
      assert.notInclude(stderr, canary)
      if (failure === "throw error") {
        assert.match(stderr, /error\. Error 23505\n {4}at .*\n(?: {4}at .*\n)*caused by SyntaxError\n {4}at /)
      }
    },
    patience
  )
})

/** Runs `surety` in a directory that no longer exists. */
const runInRemoved = async (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const removed = mkdtempSync(path.join(tmpdir(), "surety-removed-"))
  const child = spawn("/bin/sh", ["-c", 'rmdir "$PWD" && exec "$@"', "sh", process.execPath, main, ...args], {
    cwd: removed,
    env: { ...surroundings, ...env }
  })
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  child.stdout.resume()
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  rmSync(removed, { recursive: true, force: true })
  return { code, stderr }
}

describe("A command in a directory that was removed", () => {
  it.each([["serve"], ["migrate"], ["archive", "verify", "files"]])(
    "says so in one sentence, without a stack: %s",
    async (...args) => {
      const { code, stderr } = await runInRemoved(args, { DATA_DIR: "here" })
      assert.strictEqual(code, 1)
      assert.include(stderr, "The directory in which surety was started no longer exists")
      assert.notMatch(stderr, /^ {4}at /m)
    },
    patience
  )
})
