import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Routes from "./Routes.js"

/** The API as a function from a web-platform `Request` to a `Response`, for embedding in another kind of server. */
export interface WebHandler {
  readonly handle: (request: Request) => Promise<Response>
  /** Releases the services' resources. */
  readonly dispose: () => Promise<void>
}

/**
 * Creates the API over `services`. Loggers, log level and tracer in `services` also apply to requests. The surrounding
 * server must limit header size and slow bodies, as Node's server does by default.
 */
export const make = <E>(services: Layer.Layer<Routes.Needs, E>): WebHandler => {
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provideMerge(Routes.layer, services), {
    routerConfig: Routes.routerConfig,
    disableLogger: true
  })
  return { handle: (request) => handler(request), dispose }
}
