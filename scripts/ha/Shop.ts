import { createServer } from "node:https"
import path from "node:path"
import { testCertificate } from "../../packages/testing/src/machine/TestCertificate.ts"
import { root } from "../packages.ts"
import type { Place } from "./Place.ts"

const host = "shop.example"
const publicAddress = "93.184.215.14"

/** A merchant's HTTPS server under a public name. It records what it receives. */
export interface Shop {
  readonly url: string
  /** Number of times each event has arrived, by event id. */
  readonly received: ReadonlyMap<string, number>
  /** Ids of the refunds that webhooks reported as completed. */
  readonly refunds: ReadonlySet<string>
  /** Environment variables that let a node reach the shop by its public name and trust its certificate. */
  readonly environment: Readonly<Record<string, string>>
  readonly close: () => void
}

export const openShop = async (place: Place): Promise<Shop> => {
  const received = new Map<string, number>()
  const refunds = new Set<string>()
  const certificate = testCertificate(host)
  const server = createServer(certificate, (request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk) => {
      text += chunk
    })
    request.on("end", () => {
      const id = String(request.headers["x-service-event-id"])
      received.set(id, (received.get(id) ?? 0) + 1)
      const refund = /"refundId":"([^"]+)"/.exec(text)?.[1]
      if (refund !== undefined && request.headers["x-service-event"] === "refund.completed") refunds.add(refund)
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const listening = server.address()
  const port = typeof listening === "object" && listening !== null ? listening.port : 0
  return {
    url: `https://${host}/hooks`,
    received,
    refunds,
    environment: {
      NODE_OPTIONS: `--import ${path.join(root, "packages/server/test/support/internet.mjs")}`,
      NODE_EXTRA_CA_CERTS: place.write(place.room("shop"), "shop.pem", certificate.cert),
      TEST_INTERNET: JSON.stringify({ [host]: { address: publicAddress, port } })
    },
    close: () => server.close().closeAllConnections()
  }
}
