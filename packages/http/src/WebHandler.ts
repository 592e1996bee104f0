import { Layer } from "effect"
import { HttpRouter } from "effect/http"
import * as Routes from "./Routes.js"

/** The interface as a function of the web platform, for embedding into a server of another kind. */
export interface WebHandler {
  readonly handle: (request: Request) => Promise<Response>
  /** Releases what the services hold. */
  readonly dispose: () => Promise<void>
}

/**
 * The interface over `services`, built at once; loggers, log level and tracer among them are in force for requests
 * too. The server around it bounds headers and slow bodies, as Node's does by default.
 */
export const make = <E>(services: Layer.Layer<Routes.Needs, E>): WebHandler => {
  const { dispose, handler } = HttpRouter.toWebHandler(Layer.provideMerge(Routes.layer, services), {
    routerConfig: Routes.routerConfig,
    disableLogger: true
  })
  return { handle: (request) => handler(request), dispose }
}
