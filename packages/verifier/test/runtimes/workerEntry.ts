import * as verifier from "@surety/verifier"
import * as testing from "@surety/verifier/testing"
import { reportOn } from "./RuntimeReport.js"
import { secret } from "./suite/delivery.js"

const ran: Array<string> = []

/** The handler is created once and shared by all requests, as in a merchant's worker. */
const webhooks = verifier.createHandler({
  secrets: secret,
  onEvent: (event) => {
    ran.push(event.id)
  }
})

const answer = async (request: Request): Promise<Response> => {
  const { pathname } = new URL(request.url)
  if (pathname === "/webhooks") return webhooks(request)
  if (pathname === "/ran") return Response.json(ran)
  return Response.json(await reportOn({ ...verifier, ...testing }))
}

// biome-ignore lint/style/noDefaultExport: a worker exports its handlers as default
export default { fetch: answer }
