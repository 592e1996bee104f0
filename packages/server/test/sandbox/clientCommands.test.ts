import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { buffer } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { topics } from "@surety/core/event/DomainEvent"
import { freePort } from "@surety/testing/machine/FreePort"
import { TestDatabase } from "@surety/testing/machine/TestDatabase"
import { verify } from "@surety/verifier"
import { Effect, Redacted } from "effect"
import { root } from "../docs/Fence.js"
import * as MigratedDatabase from "../support/MigratedDatabase.js"
import { serverProcess } from "../support/ServerProcess.js"
import { Scene, until } from "./Scene.js"

const command = path.join(root, "packages/client/dist/cli/main.js")

const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const arrived: Array<{ readonly headers: NodeJS.Dict<string | Array<string>>; readonly body: Buffer }> = []
    const server = createServer(async (request, response) => {
      arrived.push({ headers: request.headers, body: await buffer(request) })
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { arrived, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
  }),
  ({ server }) => Effect.sync(() => void server.close().closeAllConnections())
)

/** Starts a command of the client CLI in a separate process, which is killed with the scope. */
const startCommand = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [command, ...args], { env: { PATH: process.env.PATH ?? "", ...env } })
      const printed = { out: "", error: "" }
      child.stdout.on("data", (chunk) => {
        printed.out += chunk
      })
      child.stderr.on("data", (chunk) => {
        printed.error += chunk
      })
      const exitCode = new Promise<number | null>((resolve) => child.once("close", resolve))
      return { child, printed, exitCode }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { exitCode, printed } = yield* startCommand(args, env)
    const code = yield* Effect.promise(() => exitCode)
    assert.strictEqual(code, 0, printed.error + printed.out)
    return printed.out
  }).pipe(Effect.scoped)

describe("The client's commands", () => {
  it.live("trigger every topic, and listen through the end and the start of the service", () =>
    Effect.gen(function* () {
      const { url: database } = yield* TestDatabase
      const settings = {
        DATABASE_URL: Redacted.value(database),
        SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
        LOG_LEVEL: "warning",
        OPERATOR_TOKEN: "operator-token-of-this-test",
        PORT: String(yield* Effect.promise(freePort))
      }
      const server = yield* serverProcess(settings)
      const scene = yield* Effect.promise(() => Scene.make(server.url))
      const env = {
        SURETY_API_KEY: scene.key,
        SURETY_URL: server.url,
        SURETY_OPERATOR_TOKEN: server.operatorToken
      }
      const [byListen, byService] = [yield* receiver, yield* receiver]
      yield* Effect.promise(() => scene.endpoint(byService.url, { topics }))
      const listening = yield* startCommand(["listen", "--json", "--forward-to", byListen.url], env)
      yield* Effect.promise(() =>
        until(
          async () => listening.printed.out,
          (out) => out.includes('"type":"ready"')
        )
      )
      for (const topic of topics) {
        const [last] = (yield* run(["trigger", topic, "--json"], env)).trim().split("\n").slice(-1)
        assert.deepInclude(JSON.parse(last ?? ""), { type: "event", topic })
      }
      const listed = async () => (await scene.get("/v1/events?order=oldest&limit=100")).body.data
      const all = yield* Effect.promise(listed)
      yield* Effect.promise(() =>
        until(
          async () => byListen.arrived.length,
          (count) => count >= all.length
        )
      )
      const idsOf = ({ arrived }: typeof byListen) => arrived.map(({ headers }) => String(headers["webhook-id"]))
      assert.deepStrictEqual(
        idsOf(byListen).toSorted(),
        all.map(({ id }: { id: string }) => id).toSorted(),
        "each event comes once"
      )

      // The forwarded delivery has the same body as the service's own, byte for byte. The secret differs, so the
      // signature headers differ.
      const { secret } = JSON.parse(listening.printed.out.split("\n")[0] ?? "")
      yield* Effect.promise(() =>
        until(
          async () => new Set(idsOf(byService)),
          (ids) => ids.size >= all.length
        )
      )
      for (const { body, headers } of byListen.arrived) {
        const ours = yield* Effect.promise(() => verify({ body, headers, secrets: secret }))
        assert.isTrue(ours.ok)
        const theirs = byService.arrived.find((other) => other.headers["webhook-id"] === headers["webhook-id"])
        assert.isTrue(theirs?.body.equals(body))
        const steady = (of: typeof headers) =>
          Object.fromEntries(
            Object.entries(of).filter(
              ([name]) => /^(x-service|user-agent|content-|webhook-id)/.test(name) && name !== "x-service-signature"
            )
          )
        assert.deepStrictEqual(steady(headers), steady(theirs?.headers ?? {}))
      }

      yield* Effect.promise(() => server.stop("SIGKILL"))
      yield* Effect.promise(() =>
        until(
          async () => listening.printed.out,
          (out) => out.includes('"type":"lost"')
        )
      )
      yield* serverProcess(settings)
      const before = byListen.arrived.length
      yield* run(["trigger", "transaction.settled"], env)
      yield* Effect.promise(() =>
        until(
          async () => byListen.arrived.length,
          (count) => count > before
        )
      )
      assert.strictEqual(new Set(idsOf(byListen)).size, before + 1)
      assert.strictEqual(byListen.arrived.length, before + 1)
      listening.child.kill("SIGINT")
      assert.strictEqual(yield* Effect.promise(() => listening.exitCode), 0)
      assert.include(listening.printed.out, '"type":"end"')
      assert.notInclude(listening.printed.out + listening.printed.error, scene.key)
    }).pipe(Effect.scoped, Effect.provide(MigratedDatabase.layer))
  )
})
