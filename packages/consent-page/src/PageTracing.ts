import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import { Effect, Layer } from "effect"
import { HttpMiddleware } from "effect/http"
import { ConsentPageSettings } from "./ConsentPageSettings.js"
import { holdsToken } from "./route/paths.js"

/**
 * Keeps the server from making a span of a request whose address holds a token, since such a span tells the whole
 * address. The spans of the services below it are made all the same, and tell none. To be provided beside the server,
 * where there is a tracer; a predicate that stands there already is asked as well.
 */
export const layer: Layer.Layer<never, never, ConsentPageSettings> = Layer.unwrap(
  Effect.gen(function* () {
    const { basePath } = yield* ConsentPageSettings
    const isDisabled = yield* HttpMiddleware.TracerDisabledWhen
    const base = basePath.toLowerCase()
    return Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => {
      // A token may be in a path that is spelt otherwise, too.
      const path = pathOf(request.url).toLowerCase()
      const holds = !isPlainPath(path) || (path.startsWith(base) && holdsToken(path.slice(base.length)))
      return isDisabled(request) || holds
    })
  })
)
