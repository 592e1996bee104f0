import type { HostAnswer } from "@surety/http/HostProblem"
import type { WebHandler } from "@surety/http/WebHandler"
import type { Surroundings } from "./Surroundings.js"

const respond = ({ body, headers, status }: HostAnswer): Response => new Response(body, { status, headers })

/** The interface for servers that speak `Request` and `Response`. */
export const webHandler =
  (web: WebHandler, { isClosed, refusals, warnBodyTaken }: Surroundings) =>
  async (request: Request): Promise<Response> => {
    const refused = () => ({
      path: new URL(request.url).pathname,
      requestId: request.headers.get("x-request-id") ?? undefined
    })
    if (isClosed()) return respond(refusals.closed(refused()))
    if (request.bodyUsed) {
      warnBodyTaken()
      return respond(refusals.bodyTaken(refused()))
    }
    return web.handle(request)
  }
