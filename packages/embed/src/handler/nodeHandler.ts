import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import type { HostAnswer } from "@surety/http/HostProblem"
import { giveUpUnread } from "@surety/http/node/UnreadAnswers"
import { routerConfig } from "@surety/http/Routes"
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { Surroundings } from "./Surroundings.js"

/**
 * Answers a request of Node's own server, or of a framework on it. With `next`, a request outside `basePath` is passed
 * on to it.
 */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

const isBelow = (basePath: string, url: string): boolean =>
  url.startsWith(basePath) && ["", "/", "?"].includes(url.charAt(basePath.length))

/**
 * Frameworks that mount a handler cut its prefix off `url` and keep the whole in `originalUrl`. Where the host has named
 * no base path, what they leave is meant.
 */
const urlOf = (request: IncomingMessage, basePath: string): string => {
  const whole = "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : undefined
  return basePath !== "" && whole !== undefined && isBelow(basePath, whole) ? whole : (request.url ?? "/")
}

const isTaken = ({ headers, method, readableDidRead, readableEnded }: IncomingMessage): boolean =>
  (readableDidRead || readableEnded) &&
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0")

const respond = (response: ServerResponse, { body, headers, status }: HostAnswer): void => {
  response.writeHead(status, headers).end(body)
}

/** The interface as a listener of Node's requests, until the scope closes. */
export const make = Effect.fnUntraced(function* (
  routes: Layer.Layer<never, never, HttpRouter.HttpRouter>,
  { isClosed, refusals, settings, warnBodyTaken }: Surroundings
) {
  const scope = yield* Effect.scope
  const app = yield* HttpRouter.toHttpEffect(routes).pipe(Effect.provideService(HttpRouter.RouterConfig, routerConfig))
  const handle = yield* NodeHttpServer.makeHandler(app, { scope })
  const handler: NodeHandler = (request, response, next) => {
    const url = urlOf(request, settings.basePath)
    if (next !== undefined && !isBelow(settings.basePath, url)) return next()
    request.url = url
    giveUpUnread(response)
    const sent = request.headers["x-request-id"]
    const refused = () => ({ path: url.split("?")[0] ?? "", requestId: typeof sent === "string" ? sent : undefined })
    if (isClosed()) return respond(response, refusals.closed(refused()))
    if (isTaken(request)) {
      warnBodyTaken()
      return respond(response, refusals.bodyTaken(refused()))
    }
    handle(request, response)
  }
  return handler
})
