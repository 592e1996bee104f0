import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import path from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import * as RunDatabase from "@surety/testing/vitest/RunDatabase"
import { Effect, Redacted } from "effect"

const directory = path.resolve(import.meta.dirname, "..")

const started = (databaseUrl: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const build = path.resolve(directory, "../../scripts/build.ts")
      const packages = ["core", "consent-page", "http", "postgres", "webhooks"]
      await promisify(execFile)(process.execPath, [build, "--if-stale", "--js", ...packages])
      const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64")
      const server = spawn(process.execPath, [path.join(directory, "src/main.ts")], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, PORT: "0", DATABASE_URL: databaseUrl, SECRETS_KEY }
      })
      const lines = createInterface({ input: server.stdout })
      for await (const line of lines) if (line.startsWith("rides listening on ")) return { server, ready: line }
      throw new Error("The server ended before it was ready.")
    }),
    ({ server }) => Effect.sync(() => server.kill("SIGKILL"))
  )

it.layer(RunDatabase.layer, { excludeTestServices: true })("the ride company's server", (it) => {
  it.effect(
    "starts from the environment, refuses strangers below /pay, and ends when asked",
    Effect.fnUntraced(function* () {
      const { url } = yield* TestDatabase
      const { ready, server } = yield* started(Redacted.value(url))
      const at = `${ready.replace("rides listening on ", "")}/pay/v1/whoami`
      const response = yield* Effect.promise(() => fetch(at, { headers: { connection: "close" } }))
      assert.deepInclude(yield* Effect.promise(() => response.json()), { status: 401, code: "missing_api_key" })
      const ended = once(server, "exit")
      server.kill("SIGTERM")
      const [code, signal] = yield* Effect.promise(() => ended)
      assert.isNull(signal)
      assert.include([0, 130], code)
    }),
    120_000
  )
})
