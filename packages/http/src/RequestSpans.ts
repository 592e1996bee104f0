import { pathOf } from "@surety/core/PlainPath"
import { Effect, Layer, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { HttpSettings } from "./HttpSettings.js"
import { templateOf } from "./RouteTable.js"

/** A url may hold anyone's data: an e-mail address, a number, the secret of a consent link. */
const urlAttributes: ReadonlySet<string> = new Set(["url.full", "url.path", "url.query"])

/** A tracer that is not told the urls of requests; their route is the span's name. */
const withoutUrls = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const span = tracer.span(options)
      if (options.kind !== "server") return span
      const keep = span.attribute.bind(span)
      return Object.assign(span, {
        attribute: (key: string, value: unknown) => {
          if (!urlAttributes.has(key)) keep(key, value)
        }
      })
    }
  })

const names: Layer.Layer<never, never, HttpSettings> = Layer.unwrap(
  Effect.map(HttpSettings, ({ basePath, docs }) =>
    Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => {
      const template = templateOf(request.method, { path: pathOf(request.url), basePath, docs, sandbox: true })
      return template === undefined ? request.method : `${request.method} ${template}`
    })
  )
)

/**
 * Names a request's span by its route: `POST /v1/refunds`, and the method alone if no route takes it. The url is left
 * out. A caller's `traceparent` is its parent. To be provided beside the server, over the tracer if one is set.
 */
export const layer: Layer.Layer<never, never, HttpSettings> = Layer.merge(
  names,
  Layer.effect(Tracer.Tracer, Effect.map(Effect.tracer, withoutUrls))
)
