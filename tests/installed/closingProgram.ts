/**
 * Builds a host's program that serves a request, delivers a webhook and closes Surety. It then prints the response's
 * status and the remaining timers. It never calls exit, and prints `nothing is left` once nothing keeps it alive.
 * `store` is an expression for the store. `imports` and `end` are statements that open and close the host's resources.
 */
export const closingProgram = (store: string, { imports = "", end = "" } = {}): string => `
import { createServer } from "node:http"
import * as embed from "@surety/embed"
${imports}
const { createSurety, unwrap } = embed
const receiver = createServer((request, response) => {
  request.resume()
  response.end()
  arrived()
})
let arrived = () => {}
const delivered = new Promise((resolve) => { arrived = resolve })
const listen = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)))
const stop = (server) => new Promise((resolve) => { server.close(resolve); server.closeAllConnections() })

const surety = await createSurety({ store: ${store}, secretsKey: process.env.SECRETS_KEY, targets: "any", console: {} })
await surety.workers.start()
const merchant = unwrap(await surety.merchants.ensure({
  externalId: "seller-1", name: "Corner Shop", legalName: "Corner Shop Ltd", contactName: "Ada Obi",
  contactEmail: "ada@corner.example", country: "NG", businessType: "retail"
}))
const scope = { merchantId: merchant.id, environment: "TEST" }
const url = "http://127.0.0.1:" + (await listen(receiver)) + "/"
unwrap(await surety.webhooks.register({ ...scope, url, topics: ["refund.completed"] }))
unwrap(await surety.consumers.ensure({ environment: "TEST", userId: "user-1", linkedTo: merchant.id }))
unwrap(await surety.payments.record({ ...scope, transactionId: "order-1", userId: "user-1", amountMinor: 1000n }))
const server = createServer(surety.nodeHandler)
const served = await fetch("http://127.0.0.1:" + (await listen(server)) + "/v1/whoami")
unwrap(await surety.refunds.create({ ...scope, transactionId: "order-1", idempotencyKey: "return-1" }))
await delivered
await stop(server)
await surety.close()
${end}
console.log(served.status, process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate/.test(name)).join(" "))
await stop(receiver)
process.once("beforeExit", () => console.log("nothing is left"))
`

/** The program's output if no timer remains and nothing keeps it alive. The request has no API key, hence the 401. */
export const closedCleanly = "401 \nnothing is left\n"
