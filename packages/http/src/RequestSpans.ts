import { pathOf } from "@surety/core/PlainPath"
import { Cause, Data, Effect, Exit, Layer, Tracer } from "effect"
import { HttpMiddleware, HttpServerError } from "effect/http"
import { Guides } from "./docs/GuideSite.js"
import { HttpSettings } from "./HttpSettings.js"
import { templateOf } from "./RouteTable.js"

/**
 * Span attributes that contain all or part of the request's url. They may contain personal data or secrets, such as an
 * e-mail address or the secret of a consent link.
 */
const urlAttributes: ReadonlySet<string> = new Set(["url.full", "url.path", "url.query"])

/** The failure recorded in a request's span instead of an `HttpServerError`, which contains the url. */
class RequestFailed extends Data.TaggedError("RequestFailed")<{ readonly status: number | undefined }> {
  override get message(): string {
    return this.status === undefined ? "Request failed" : `The response has status ${this.status}`
  }
}

const withoutUrl = (error: unknown): unknown =>
  HttpServerError.isHttpServerError(error)
    ? new RequestFailed({ status: error.reason._tag === "ResponseError" ? error.reason.response.status : undefined })
    : error

const exitWithoutUrl = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> =>
  Exit.isSuccess(exit)
    ? exit
    : Exit.failCause(
        Cause.fromReasons(
          exit.cause.reasons.map((reason) => {
            if (reason._tag === "Fail") return Cause.makeFailReason(withoutUrl(reason.error))
            return reason._tag === "Die" ? Cause.makeDieReason(withoutUrl(reason.defect)) : reason
          })
        )
      )

/** Wraps a tracer so that server spans omit `urlAttributes` and the urls in `HttpServerError` failures. */
const withoutUrls = (tracer: Tracer.Tracer): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const span = tracer.span(options)
      if (options.kind !== "server") return span
      const keep = span.attribute.bind(span)
      const end = span.end.bind(span)
      return Object.assign(span, {
        end: (endTime: bigint, exit: Exit.Exit<unknown, unknown>) => end(endTime, exitWithoutUrl(exit)),
        attribute: (key: string, value: unknown) => {
          if (!urlAttributes.has(key)) keep(key, value)
        }
      })
    }
  })

const names: Layer.Layer<never, never, HttpSettings> = Layer.unwrap(
  Effect.map(Effect.all([HttpSettings, Guides]), ([{ basePath, docs }, site]) => {
    const guides = new Set(site?.pages.map(({ slug }) => slug))
    return Layer.succeed(HttpMiddleware.SpanNameGenerator, (request) => {
      const template = templateOf(request.method, { path: pathOf(request.url), basePath, docs, guides, sandbox: true })
      return template === undefined ? request.method : `${request.method} ${template}`
    })
  })
)

/**
 * Layer that names a request's span by its route, such as `POST /v1/refunds`. A request without a route in
 * `RouteTable.ts`, such as a consent page request, is named by its method alone. Server spans omit the url. Provide
 * this layer next to the server, on top of any tracer.
 */
export const layer: Layer.Layer<never, never, HttpSettings> = Layer.merge(
  names,
  Layer.effect(Tracer.Tracer, Effect.map(Effect.tracer, withoutUrls))
)
