import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runHere } from "../support/CommandHere.js"

const env = { OPERATOR_TOKEN: "operator-token-for-the-shell" }
const id = "merchant_01m8jxv90vek9sn664y8q0ysmf"

/** Runs a command against a server that accepts everything. Returns the JSON bodies that the server received. */
const sentBy = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const bodies: Array<unknown> = []
    const server = createServer(async (request, response) => {
      bodies.push(JSON.parse(await text(request)))
      response.writeHead(201, { "content-type": "application/json" }).end("{}")
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : assert.fail()
    const asked = () => runHere([...args, "--server", `http://127.0.0.1:${port}`], env)
    return { bodies, ...(yield* Effect.promise(asked)) }
  }).pipe(Effect.scoped)

const registering = ["webhook", "register", id, "--url", "https://shop.example/hook"]

describe("A list on the command line", () => {
  it.live("takes its values separated by commas, by repeated flags, or both", () =>
    Effect.gen(function* () {
      const two = ["refund.completed", "refund.failed"]
      for (const typed of [
        ["--topics", "refund.completed,refund.failed"],
        ["--topics", "refund.completed, refund.failed"],
        ["--topics=refund.completed", "--topics", "refund.failed"]
      ]) {
        const { bodies, code } = yield* sentBy(...registering, ...typed)
        assert.deepStrictEqual(
          [code, bodies],
          [0, [{ url: "https://shop.example/hook", topics: two }]],
          typed.join(" ")
        )
      }
      const granting = ["operator", "grant", "--merchant-id", id, "--service-id", "SR1-K7QM-WX4T-A", "--purpose", "x"]
      const { bodies } = yield* sentBy(...granting, "--fields", "email,country", "--fields", "display_name")
      assert.deepInclude(bodies[0], { fields: ["email", "country", "display_name"] })
    })
  )

  it.live("of urls is split only before another url, since a url may contain commas", () =>
    Effect.gen(function* () {
      const typed = "https://a.example/x,y/,https://b.example/"
      const { bodies } = yield* sentBy("operator", "change-settings", id, "--return-urls", typed)
      assert.deepStrictEqual(bodies, [{ returnUrls: ["https://a.example/x,y/", "https://b.example/"] }])
      const none = yield* sentBy("operator", "change-settings", id, "--return-urls", "[]")
      assert.deepStrictEqual(none.bodies, [{ returnUrls: [] }])
    })
  )

  it.live("names the value that is wrong, and sends nothing", () =>
    Effect.gen(function* () {
      const { bodies, code, stderr } = yield* sentBy(...registering, "--topics", "refund.completed,refund.done")
      assert.deepStrictEqual([code, bodies], [1, []])
      assert.include(stderr, 'Invalid value for flag --topics: "refund.done". Expected: "transaction.settled" |')
      for (const typed of ["refund.completed,", ",", ""]) {
        const empty = yield* sentBy(...registering, "--topics", typed)
        assert.deepStrictEqual([empty.code, empty.bodies], [1, []], typed)
        assert.include(empty.stderr, "Missing value for flag --topics.")
      }
      const fields = yield* sentBy("operator", "approve-data-request", "datareq_1", "--fields", "email,")
      assert.deepStrictEqual([fields.code, fields.bodies], [1, []])
      assert.include(fields.stderr, "Missing value for flag --fields.")
    })
  )
})
