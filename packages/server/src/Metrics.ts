import type { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { PlatformFeed } from "@surety/core/event/PlatformFeed"
import type { RateLimiter } from "@surety/core/limit/RateLimiter"
import * as Readiness from "@surety/core/Readiness"
import { answer } from "@surety/http/Answer"
import { operatorRefusal } from "@surety/http/access/AccessLayers"
import * as Limiting from "@surety/http/access/Limiting"
import { Exchange } from "@surety/http/Exchange"
import type { HttpSettings } from "@surety/http/HttpSettings"
import * as NotedRoute from "@surety/http/NotedRoute"
import { metricsPath } from "@surety/http/RouteTable"
import * as QueueGauges from "@surety/webhooks/delivery/QueueGauges"
import * as PlatformMetrics from "@surety/webhooks/platform/PlatformMetrics"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { Access } from "./settings/Settings.js"

const prefix = "surety"
const contentType = "text/plain; version=0.0.4; charset=utf-8"

type Measured = DeliveryQueue | PlatformFeed | Readiness.Readiness

/** Measures the gauges that no event keeps fresh. */
export const refreshGauges: Effect.Effect<void, never, Measured> = Effect.all(
  [QueueGauges.refresh, PlatformMetrics.refresh, Readiness.refresh],
  { concurrency: "unbounded", discard: true }
)

/** The body of `GET /metrics`: every metric that has a value, with fresh gauges. */
export const metricsText: Effect.Effect<string, never, Measured> = Effect.andThen(
  refreshGauges,
  PrometheusMetrics.format({ prefix })
)

const read = Effect.map(metricsText, (body) => HttpServerResponse.text(body, { contentType }))

/** `GET /metrics` in Prometheus' text format, outside the base path, for those whom `access` admits; any operator. */
export const layer = (
  access: Access,
  tokens: Pick<HttpSettings["Service"], "operatorToken" | "operators">
): Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | DeliveryQueue | PlatformFeed | RateLimiter | Readiness.Readiness
> => {
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
      const services = yield* Effect.context<DeliveryQueue | PlatformFeed | Readiness.Readiness>()
      const limiting = yield* Limiting.Limiting
      yield* router.add("GET", metricsPath, answer({}, Effect.provideContext(guarded(limiting), services)))
    })
  ).pipe(Layer.provide([Limiting.layer, NotedRoute.layer]))
}
