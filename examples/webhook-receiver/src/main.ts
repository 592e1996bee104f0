// A merchant's webhook receiver. Prints genuine events and refuses other requests.
//
//   WEBHOOK_SECRET=whsec_… PORT=4000 npx pnpm --filter ./examples/webhook-receiver start
import { createServer } from "node:http"
import { createHandler, verify } from "@surety/verifier"
import { eventLine } from "./eventLine.ts"

const port = Number(process.env.PORT ?? 4000)
const url = `http://127.0.0.1:${port === 0 ? 4000 : port}/webhooks`

const giveUp = (message: string): never => {
  console.error(message)
  process.exit(1)
}

const howToGetASecret = `Register this receiver with the service. Only the response shows its secret:

  curl -X POST http://127.0.0.1:3000/merchants/<the merchant's id>/webhooks \\
    -H "content-type: application/json" -d '{"url":"${url}"}'

Then start it with that secret; during a rotation, with both, separated by a comma:

  WEBHOOK_SECRET=whsec_… npx pnpm --filter ./examples/webhook-receiver start`

if (!process.env.WEBHOOK_SECRET) giveUp(`WEBHOOK_SECRET is not set.\n\n${howToGetASecret}`)
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(",").map((secret) => secret.trim())

// Without this check, an invalid secret would go unnoticed until the first delivery.
const trial = await verify({ body: "{}", headers: {}, secrets })
if (!trial.ok && trial.reason === "invalid_secret") giveUp(`WEBHOOK_SECRET: ${trial.message}\n\n${howToGetASecret}`)

const handler = createHandler({
  secrets,
  onEvent: (event) => console.log(eventLine(event)),
  onRefused: ({ reason, message }) => console.error(`refused: ${reason}: ${message}`)
})

const server = createServer(async (request, response) => {
  if (request.method !== "POST") {
    response.writeHead(405, { allow: "POST" }).end()
    return
  }
  // Pass the request itself as the raw body, without reading or parsing it first: the signature covers the exact bytes.
  const answer = await handler.receive({ headers: request.headers, body: request })
  response.writeHead(answer.status, answer.headers).end(answer.body)
})

server.on("error", (error) => giveUp(`Cannot listen on port ${process.env.PORT ?? 4000}: ${error.message}`))
server.listen(port, "127.0.0.1", () => {
  const address = server.address()
  const bound = typeof address === "object" && address !== null ? address.port : port
  console.log(`webhook receiver listening on http://127.0.0.1:${bound}/webhooks`)
})
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.close())
