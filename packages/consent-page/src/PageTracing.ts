import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import { Effect, Layer } from "effect"
import { HttpMiddleware } from "effect/http"
import { ConsentPageSettings } from "./ConsentPageSettings.js"
import { holdsToken } from "./route/paths.js"

/**
 * Suppresses the server's span for a request whose path may contain the token of a consent link or of a sandbox
 * registry page. The span would contain the full url. Services still create spans. Provide the layer next to the server
 * if a tracer is set. A surrounding `TracerDisabledWhen` still applies.
 */
export const layer: Layer.Layer<never, never, ConsentPageSettings> = Layer.unwrap(
  Effect.gen(function* () {
    const { basePath } = yield* ConsentPageSettings
    const isDisabled = yield* HttpMiddleware.TracerDisabledWhen
    const base = basePath.toLowerCase()
    return Layer.succeed(HttpMiddleware.TracerDisabledWhen, (request) => {
      // A non-canonical path may also contain a token.
      const path = pathOf(request.url).toLowerCase()
      const holds = !isPlainPath(path) || (path.startsWith(base) && holdsToken(path.slice(base.length)))
      return isDisabled(request) || holds
    })
  })
)
