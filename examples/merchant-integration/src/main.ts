// A merchant's backend: asks for consent, verifies, refunds, and adds the amounts in webhooks to its orders.
//
//   SERVICE_URL=… SERVICE_API_KEY=sk_test_… WEBHOOK_SECRET=whsec_… npx pnpm --filter ./examples/merchant-integration start

import { createServer, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import { createClient, SuretyError } from "@surety/client"
import { createHandler } from "@surety/verifier"
import { makeOrders } from "./Orders.ts"
import { makeShop } from "./Shop.ts"

const giveUp = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const connect = () => {
  try {
    return createClient({
      apiKey: process.env.SERVICE_API_KEY,
      baseUrl: process.env.SERVICE_URL ?? "http://127.0.0.1:3000",
      onRetry: ({ error, delayMillis }) => console.error(`${error.message}, again in ${Math.round(delayMillis)} ms`)
    })
  } catch (error) {
    return giveUp(`SERVICE_URL or SERVICE_API_KEY: ${error instanceof SuretyError ? error.message : error}`)
  }
}

if (!process.env.WEBHOOK_SECRET) giveUp("WEBHOOK_SECRET is not set: registering the webhook's url answers it, once.")
const service = connect()
const orders = makeOrders()
const shop = makeShop(service, orders)
const webhooks = createHandler({
  secrets: process.env.WEBHOOK_SECRET,
  onEvent: (event) => {
    orders.book(event)
    console.log(`${event.topic} ${event.id}`)
  },
  onRefused: ({ reason, message }) => console.error(`refused: ${reason}: ${message}`)
})

const answerTo = async (request: IncomingMessage) => {
  const { headers, method = "", url = "" } = request
  // The webhook needs the raw body, so this route comes before any body parser.
  if (method === "POST" && url === "/webhooks") return webhooks.receive({ headers, body: request })
  const body = method === "GET" ? {} : await json(request).catch(() => ({}))
  const answer = await shop(method, url, Object(body))
  return { status: answer.status, headers: { "content-type": "application/json" }, body: JSON.stringify(answer.body) }
}

const server = createServer(async (request, response) => {
  const answer = await answerTo(request).catch((error: unknown) => {
    console.error(error)
    return { status: 500, headers: {}, body: "" }
  })
  response.writeHead(answer.status, answer.headers).end(answer.body)
})

server.on("error", (error) => giveUp(`Cannot listen on port ${process.env.PORT ?? 4000}: ${error.message}`))
server.listen(Number(process.env.PORT ?? 4000), "127.0.0.1", () => {
  const address = server.address()
  console.log(`shop listening on http://127.0.0.1:${typeof address === "object" ? address?.port : address}`)
})
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close())
