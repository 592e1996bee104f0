import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { HttpSettings } from "@surety/http/HttpSettings"
import * as Routes from "@surety/http/Routes"
import { type Context, Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"

/** Answers a request of Node's own server, or of a framework on it. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Frameworks that mount a handler cut its prefix off `url` and keep the whole in `originalUrl`. */
const wholeUrl = (request: IncomingMessage): string | undefined =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : request.url

const takenBefore = {
  type: "about:blank",
  title: "Internal Server Error",
  status: 500,
  detail: "The server cannot read this request.",
  code: "internal_error"
}

/**
 * A body parser that ran before has taken the bytes, and what it made of them is not what was sent. So that this is found
 * on the first try, nothing else is attempted.
 */
const isTaken = ({ headers, method, readableEnded }: IncomingMessage): boolean =>
  readableEnded && method !== "GET" && method !== "HEAD" && (headers["content-length"] ?? "0") !== "0"

const refuseTaken = (response: ServerResponse): void => {
  response.writeHead(500, { "content-type": "application/problem+json" })
  response.end(JSON.stringify(takenBefore))
}

const warning =
  "A request's body was read before it reached Surety. Mount Surety's handler before express.json() and other body parsers."

/** The interface as a listener of Node's requests, until the scope closes. */
export const make = Effect.fnUntraced(function* (
  context: Context.Context<Exclude<Routes.Needs, HttpSettings>>,
  settings: Layer.Layer<HttpSettings>
) {
  const scope = yield* Effect.scope
  const services = Layer.merge(Layer.succeedContext(context), settings)
  const routes = Layer.provide(Routes.layer, services)
  const app = yield* HttpRouter.toHttpEffect(routes).pipe(
    Effect.provideService(HttpRouter.RouterConfig, Routes.routerConfig)
  )
  const handle = yield* NodeHttpServer.makeHandler(app, { scope })
  const handler: NodeHandler = (request, response) => {
    if (isTaken(request)) {
      Effect.runForkWith(context)(Effect.logError(warning))
      refuseTaken(response)
      return
    }
    const url = wholeUrl(request)
    if (url !== undefined) request.url = url
    handle(request, response)
  }
  return handler
})
