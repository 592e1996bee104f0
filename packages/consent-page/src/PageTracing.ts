import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import { Effect, Layer } from "effect"
import { HttpMiddleware } from "effect/http"
import { ConsentPageSettings } from "./ConsentPageSettings.js"
import { holdsToken } from "./route/paths.js"

/**
 * Prevents the server's span of a request whose address has a token, since that span contains the whole
 * address. Spans of the services still exist, and contain no token. Provide it beside the server if there
 * is a tracer; an existing predicate is asked too.
 */
export const layer: Layer.Layer<never, never, ConsentPageSettings> = Layer.unwrap(
  Effect.gen(function* () {
    const { basePath } = yield* ConsentPageSettings
    const isDisabled = yield* HttpMiddleware.TracerDisabledWhen
    const base = basePath.toLowerCase()
    return Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => {
      // A path in another spelling may have a token too.
      const path = pathOf(request.url).toLowerCase()
      const holds = !isPlainPath(path) || (path.startsWith(base) && holdsToken(path.slice(base.length)))
      return isDisabled(request) || holds
    })
  })
)
