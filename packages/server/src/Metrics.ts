import type { RateLimiter } from "@surety/core/limit/RateLimiter"
import { answer } from "@surety/http/Answer"
import { operatorRefusal } from "@surety/http/access/AccessLayers"
import * as Limiting from "@surety/http/access/Limiting"
import { Exchange } from "@surety/http/Exchange"
import type { HttpSettings } from "@surety/http/HttpSettings"
import * as NotedRoute from "@surety/http/NotedRoute"
import { metricsPath } from "@surety/http/RouteTable"
import * as ProcessMetrics from "@surety/webhooks/ProcessMetrics"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Access } from "./settings/Settings.js"

const contentType = "text/plain; version=0.0.4; charset=utf-8"

const read = Effect.map(ProcessMetrics.text, (body) => HttpServerResponse.text(body, { contentType }))

/**
 * Serves `GET /metrics` in the Prometheus text format, outside the base path. Access `open` lets anyone read the
 * metrics; `token` requires an operator's token. With `off`, the route does not exist.
 */
export const layer = (
  access: Access,
  tokens: Pick<HttpSettings["Service"], "operatorToken" | "operators">
): Layer.Layer<never, never, HttpRouter.HttpRouter | ProcessMetrics.Measured | RateLimiter> => {
  if (access === "off") return Layer.empty
  const guarded = Effect.fnUntraced(function* (limiting: Limiting.Limiting["Service"]) {
    if (access === "open") return yield* read
    const guard = { limiting, settings: { ...tokens, provisioning: access } }
    const refused = yield* operatorRefusal(yield* HttpServerRequest.HttpServerRequest, yield* Exchange, guard)
    if (refused !== undefined) return yield* refused
    return yield* read
  })
  return HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const services = yield* Effect.context<ProcessMetrics.Measured>()
      const limiting = yield* Limiting.Limiting
      yield* router.add("GET", metricsPath, answer({}, Effect.provideContext(guarded(limiting), services)))
    })
  ).pipe(Layer.provide([Limiting.layer, NotedRoute.layer]))
}
