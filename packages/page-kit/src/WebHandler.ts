import { Layer } from "effect"
import { HttpMiddleware, HttpRouter } from "effect/http"
import { pagesRouterConfig } from "./PageRouter.js"

/** The pages as a function from `Request` to `Response`, for use with any kind of server. */
export interface WebHandler {
  readonly handle: (request: Request) => Promise<Response>
  readonly dispose: () => Promise<void>
}

/** Adds `nosniff`, even to the router's own responses, such as the 404 for an unknown path. */
const withNosniff = (response: Response): Response => {
  response.headers.set("x-content-type-options", "nosniff")
  return response
}

/**
 * Disables request spans. A span would contain the full url, which may include a link's token or an operator's search
 * term.
 */
const withoutRequestSpans = Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)

/**
 * Creates a handler for the routes of `pages`, and starts building them immediately. If the build fails, each request
 * rejects with the build's error. Requests are not logged and have no spans, but the services still log and create
 * spans.
 */
export const make = <E>(pages: Layer.Layer<never, E, HttpRouter.HttpRouter>): WebHandler => {
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provideMerge(pages, withoutRequestSpans), {
    routerConfig: pagesRouterConfig,
    disableLogger: true
  })
  return { handle: async (request) => withNosniff(await handler(request)), dispose }
}
