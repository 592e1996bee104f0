import type { HostAnswer } from "@surety/http/HostProblem"
import { routerConfig } from "@surety/http/Routes"
import type { Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { Surroundings } from "./refusals.js"

/** Serves Surety's routes on servers built on `Request` and `Response`. */
export interface WebHandler {
  readonly handle: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
}

const respond = ({ body, headers, status }: HostAnswer): Response => new Response(body, { status, headers })

export const webHandler = (
  routes: Layer.Layer<never, never, HttpRouter.HttpRouter>,
  { isClosed, refusals, warnBodyTaken }: Surroundings
): WebHandler => {
  const { dispose, handler } = HttpRouter.toWebHandler(routes, { routerConfig, disableLogger: true })
  const handle = async (request: Request): Promise<Response> => {
    const refused = () => ({
      path: new URL(request.url).pathname,
      requestId: request.headers.get("x-request-id") ?? undefined
    })
    if (isClosed()) return respond(refusals.closed(refused()))
    if (request.bodyUsed) {
      warnBodyTaken()
      return respond(refusals.bodyTaken(refused()))
    }
    return handler(request)
  }
  return { handle, dispose }
}
