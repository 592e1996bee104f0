import { Effect, type Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Exchange } from "./Exchange.js"

/**
 * Sets the exchange's `route` to the matched route, without the base path. Provide it to routes outside the typed API.
 * The typed API's middleware sets `route` for its own routes.
 */
export const layer: Layer.Layer<never> = HttpRouter.middleware((answering) =>
  Effect.gen(function* () {
    const { route } = yield* HttpRouter.RouteContext
    const exchange = yield* Exchange
    exchange.route = route.path.slice(Option.getOrElse(route.prefix, () => "").length)
    return yield* answering
  })
).layer
