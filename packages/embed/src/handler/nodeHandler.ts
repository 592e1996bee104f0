import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { isPlainPath, pathOf } from "@surety/core/PlainPath"
import type { HostAnswer } from "@surety/http/HostProblem"
import { giveUpUnread } from "@surety/http/node/UnreadAnswers"
import { routerConfig } from "@surety/http/Routes"
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { Surroundings } from "./refusals.js"

/**
 * Handles a request from Node's own server or a framework built on it. Calls `next`, if given, for a request outside
 * `basePath`.
 */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

const isBelow = (basePath: string, url: string): boolean =>
  url.startsWith(basePath) && ["", "/", "?"].includes(url.charAt(basePath.length))

/**
 * Returns `originalUrl`, if set. A framework such as Express strips the mount prefix from `url` but not from
 * `originalUrl`.
 */
const wholeUrlOf = (request: IncomingMessage): string | undefined =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : undefined

const urlOf = (request: IncomingMessage, basePath: string): string => {
  const whole = wholeUrlOf(request)
  return basePath !== "" && whole !== undefined && isBelow(basePath, whole) ? whole : (request.url ?? "/")
}

/**
 * Returns true if the paths of the url and the original url are both in canonical form. The original url is checked
 * too, because a framework may have decoded the prefix before removing it. An absolute url is rejected: this form is
 * meant for proxies, and a host's guards may overlook it.
 */
const isPlain = (request: IncomingMessage, url: string): boolean =>
  url.startsWith("/") && [url, wholeUrlOf(request) ?? url].every((each) => isPlainPath(pathOf(each)))

const isTaken = ({ headers, method, readableDidRead, readableEnded }: IncomingMessage): boolean =>
  (readableDidRead || readableEnded) &&
  method !== "GET" &&
  method !== "HEAD" &&
  (headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0")

const respond = (response: ServerResponse, { body, headers, status }: HostAnswer): void => {
  response.writeHead(status, headers).end(body)
}

/** Builds a Node request listener that serves `routes` until the scope closes. */
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
    const refused = () => ({
      path: pathOf(wholeUrlOf(request) ?? url),
      requestId: typeof sent === "string" ? sent : undefined
    })
    if (isClosed()) return respond(response, refusals.closed(refused()))
    if (!isPlain(request, url)) return respond(response, refusals.routeNotFound(refused()))
    if (isTaken(request)) {
      warnBodyTaken()
      return respond(response, refusals.bodyTaken(refused()))
    }
    handle(request, response)
  }
  return handler
})
