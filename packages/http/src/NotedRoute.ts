import { Effect, type Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { Exchange } from "./Exchange.js"

/**
 * Notes in the exchange which route answers, without the base path. To be provided to routes that the typed API does not
 * know of; its own are noted where callers are let in.
 */
export const layer: Layer.Layer<never> = HttpRouter.middleware((answering) =>
  Effect.gen(function* () {
    const { route } = yield* HttpRouter.RouteContext
    const exchange = yield* Exchange
    exchange.route = route.path.slice(Option.getOrElse(route.prefix, () => "").length)
    return yield* answering
  })
).layer
