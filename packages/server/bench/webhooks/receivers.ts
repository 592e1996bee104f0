// A separate process with the merchants' receivers. It reports its origin, and records when each event for `/ok`
// arrives. The response depends on the path: `/ok` responds immediately, `/slow` after a second, `/hang` never.
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Commit, nowMillis } from "./WorkerMessages.ts"

const slowMillis = 1_000
let receipts: Array<Commit> = []

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const at = nowMillis()
  request.resume()
  request.on("end", () => {
    const kind = request.url?.split("/", 2)[1]
    if (kind === "ok") receipts.push([String(request.headers["x-service-event-id"]), at])
    if (kind === "hang") return
    setTimeout(() => response.writeHead(204).end(), kind === "slow" ? slowMillis : 0)
  })
})

process.on("message", () => {
  process.send?.({ receipts })
  receipts = []
})
process.on("disconnect", () => process.exit())

server.listen(0, "127.0.0.1", () => {
  const address = server.address() as AddressInfo
  process.send?.({ origin: `http://127.0.0.1:${address.port}` })
})
