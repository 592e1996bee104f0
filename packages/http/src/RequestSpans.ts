import { Effect, Layer } from "effect"
import { HttpMiddleware } from "effect/http"
import { pathOf } from "./Exchange.js"
import { HttpSettings } from "./HttpSettings.js"
import { templateOf } from "./RouteTable.js"

/**
 * Names a request's span by its route: `POST /v1/refunds`, and the method alone where no route takes it. A caller's
 * `traceparent` is its parent. To be provided beside the server, where there is a tracer.
 */
export const layer: Layer.Layer<never, never, HttpSettings> = Layer.unwrap(
  Effect.map(HttpSettings, ({ basePath, docs }) =>
    Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => {
      const template = templateOf(request.method, { path: pathOf(request.url), basePath, docs, sandbox: true })
      return template === undefined ? request.method : `${request.method} ${template}`
    })
  )
)
