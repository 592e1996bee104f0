import { Layer } from "effect"
import { HttpMiddleware, HttpRouter } from "effect/http"
import { pagesRouterConfig } from "./PageRouter.js"

/** Pages as a function from `Request` to `Response`, for other servers. */
export interface WebHandler {
  readonly handle: (request: Request) => Promise<Response>
  /** Releases the services' resources. */
  readonly dispose: () => Promise<void>
}

/** On the router's own responses too, such as the 404 of an unknown path. */
const withNosniff = (response: Response): Response => {
  response.headers.set("x-content-type-options", "nosniff")
  return response
}

/**
 * An address may contain a link's token, or the name that an operator searches for, and a request's span has the whole
 * address.
 */
const withoutRequestSpans = Layer.succeed(HttpMiddleware.TracerDisabledWhen, () => true)

/**
 * Serves the routes of `pages`, built immediately. Requests are not logged and have no span; spans of the services remain.
 */
export const make = <E>(pages: Layer.Layer<never, E, HttpRouter.HttpRouter>): WebHandler => {
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provideMerge(pages, withoutRequestSpans), {
    routerConfig: pagesRouterConfig,
    disableLogger: true
  })
  return { handle: async (request) => withNosniff(await handler(request)), dispose }
}
