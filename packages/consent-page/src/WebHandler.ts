import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as ConsentPage from "./ConsentPage.js"
import * as PageTracing from "./PageTracing.js"

/** The page as a function of the web platform, for a host's server of another kind. */
export interface WebHandler {
  readonly handle: (request: Request) => Promise<Response>
  /** Releases what the services hold. */
  readonly dispose: () => Promise<void>
}

/** The router's own answers have it too, such as the one to a path that is none of the page's. */
const withNosniff = (response: Response): Response => {
  response.headers.set("x-content-type-options", "nosniff")
  return response
}

/**
 * The page over `services`, built at once. Nothing is logged of a request, and no span is made of one whose address
 * holds a token.
 */
export const make = <E>(services: Layer.Layer<ConsentPage.Needs, E>): WebHandler => {
  const page = Layer.provideMerge(ConsentPage.layer, Layer.provideMerge(PageTracing.layer, services))
  const { dispose, handler } = HttpRouter.toWebHandler(page, {
    routerConfig: ConsentPage.routerConfig,
    disableLogger: true
  })
  return { handle: async (request) => withNosniff(await handler(request)), dispose }
}
