import { createServer } from "node:http"
import { EarlyRequests } from "@surety/server/EarlyRequests"
import { assert, describe, it } from "vitest"

/** A listening server that has no routes yet. */
const bare = async () => {
  const seen: Array<string | undefined> = []
  const server = createServer()
  server.on("request", ({ url }) => seen.push(`before ${url}`))
  const early = new EarlyRequests(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => (seen.length >= count ? resolve() : void setTimeout(look, 5))
      look()
    })
  const attach = () =>
    server.on("request", (request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        seen.push(`answered ${request.url}`)
        response.end(`${request.url} ${body}`)
      })
    })
  return { server, early, url, seen, arrived, attach }
}

describe("A server that listens before its interface is attached", () => {
  it("answers earlier requests, once, with its body", async () => {
    const { arrived, attach, early, seen, server, url } = await bare()
    const first = fetch(`${url}/first`, { method: "POST", body: "whole" })
    await arrived(1)
    attach()
    // A request that arrives between attaching and releasing is not held.
    assert.strictEqual(await (await fetch(`${url}/second`)).text(), "/second ")
    early.release()
    assert.strictEqual(await (await first).text(), "/first whole")
    assert.strictEqual(await (await fetch(`${url}/third`)).text(), "/third ")
    assert.deepStrictEqual(seen.toSorted(), [
      "answered /first",
      "answered /second",
      "answered /third",
      "before /first",
      "before /second",
      "before /third"
    ])
    server.close().closeAllConnections()
  })
})
