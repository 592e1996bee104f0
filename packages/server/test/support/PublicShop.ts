import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import path from "node:path"
import { testCertificate } from "@surety/testing/machine/TestCertificate"
import { Effect } from "effect"

export interface ShopDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const host = "shop.example"
const publicAddress = "93.184.215.14"

/**
 * A merchant's HTTPS server under a public name, as production requires. `environment` holds the settings that let a
 * server process reach it. While `state.isAway` is true, the shop returns 503 and counts the requests in
 * `state.refused`.
 */
export const publicShop = Effect.gen(function* () {
  const received: Array<ShopDelivery> = []
  const state = { isAway: false, refused: 0 }
  const certificate = testCertificate(host)
  const server = createServer(certificate, (request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      if (state.isAway) {
        state.refused += 1
        response.writeHead(503).end()
        return
      }
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      received.push({ headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(204).end()
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () => Effect.promise(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  )
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(tmpdir(), "surety-shop-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const authority = path.join(directory, "shop.pem")
  writeFileSync(authority, certificate.cert)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `https://${host}/hooks`,
    received,
    state,
    environment: {
      NODE_OPTIONS: `--import ${path.join(import.meta.dirname, "internet.mjs")}`,
      NODE_EXTRA_CA_CERTS: authority,
      TEST_INTERNET: JSON.stringify({ [host]: { address: publicAddress, port } })
    }
  }
})
