import { Effect, type Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Exchange } from "./Exchange.js"

/**
 * Notes the matched route, without the base path, in the exchange. Provide it to routes outside the typed API. The
 * API's own routes are noted on admission.
 */
export const layer: Layer.Layer<never> = HttpRouter.middleware((answering) =>
  Effect.gen(function* () {
    const { route } = yield* HttpRouter.RouteContext
    const exchange = yield* Exchange
    exchange.route = route.path.slice(Option.getOrElse(route.prefix, () => "").length)
    return yield* answering
  })
).layer
