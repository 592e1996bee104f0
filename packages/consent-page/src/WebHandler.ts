import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as ConsentPage from "./ConsentPage.js"
import * as PageTracing from "./PageTracing.js"

/** The page as a function from `Request` to `Response`, for other servers. */
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
 * The page over `services`, built immediately. Requests are not logged, and a request whose address has a token has
 * no span.
 */
export const make = <E>(services: Layer.Layer<ConsentPage.Needs, E>): WebHandler => {
  const page = Layer.provideMerge(ConsentPage.layer, Layer.provideMerge(PageTracing.layer, services))
  const { dispose, handler } = HttpRouter.toWebHandler(page, {
    routerConfig: ConsentPage.routerConfig,
    disableLogger: true
  })
  return { handle: async (request) => withNosniff(await handler(request)), dispose }
}
