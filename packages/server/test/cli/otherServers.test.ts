import { createServer, type ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runHere } from "../support/CommandHere.js"
import { operatorToken } from "./Shell.js"

const env = { OPERATOR_TOKEN: operatorToken }
const id = "merchant_01m8jxv90vek9sn664y8q0ysmf"

const serverWith = (respond: (response: ServerResponse) => void) =>
  Effect.gen(function* () {
    const server = createServer((request, response) => {
      request.resume()
      respond(response)
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
    )
    const address = server.address()
    return typeof address === "object" && address !== null ? `http://127.0.0.1:${address.port}` : assert.fail()
  })

describe("A command that asks another server than Surety's", () => {
  it.live.each<[number, string, string]>([
    [302, "text/html", ""],
    [200, "text/html; charset=utf-8", "<title>Sign in</title>"],
    [200, "", ""],
    [202, "application/json", "{}"]
  ])(
    "fails at a response with status %i and type %j",
    ([status, type, body]) =>
      Effect.gen(function* () {
        const headers = { location: "https://login.example/?token=x", ...(type === "" ? {} : { "content-type": type }) }
        const url = yield* serverWith((response) => response.writeHead(status, headers).end(body))
        const shown = `status ${status}${type === "" ? "" : ` with ${type.replace(/;.*/u, "")}`}`
        const commands = [
          ["person", "erase", "SR1-K7QM-WX4T-A", "--reason", "asked"],
          ["merchant", "get", id],
          ["merchant", "suspend", id],
          ["key", "create", id]
        ]
        for (const args of commands) {
          const { code, stderr, stdout } = yield* Effect.promise(() => runHere([...args, "--server", url], env))
          assert.deepStrictEqual([code, stdout], [1, ""], args.join(" "))
          assert.include(stderr, `The response is not Surety's: ${shown}. Check that --server leads to`)
        }
      }),
    60_000
  )

  it.live("fails at a body of another form", () =>
    Effect.gen(function* () {
      const url = yield* serverWith((response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(`{"status":"ok"}`)
      )
      const suspend = () => runHere(["merchant", "suspend", id, "--server", url], env)
      const { code, stderr } = yield* Effect.promise(suspend)
      assert.strictEqual(code, 1)
      assert.strictEqual(stderr.trim(), "The response is not Surety's: it has another form than the API's.")
    })
  )
})
