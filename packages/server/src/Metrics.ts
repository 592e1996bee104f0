import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import type { RateLimiter } from "@surety/core/limit/RateLimiter"
import { answer } from "@surety/http/Answer"
import { operatorRefusal } from "@surety/http/access/AccessLayers"
import * as Limiting from "@surety/http/access/Limiting"
import { Exchange } from "@surety/http/Exchange"
import * as QueueGauges from "@surety/webhooks/QueueGauges"
import { Effect, Layer, type Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import type { Access } from "./settings/Settings.js"

const prefix = "surety"
const contentType = "text/plain; version=0.0.4; charset=utf-8"

const read = Effect.andThen(
  QueueGauges.refresh,
  Effect.map(PrometheusMetrics.format({ prefix }), (text) => HttpServerResponse.text(text, { contentType }))
)

/** `GET /metrics` in Prometheus' text format, outside the base path; for whom `access` says. */
export const layer = (
  access: Access,
  operatorToken: Redacted.Redacted<string>
): Layer.Layer<never, never, HttpRouter.HttpRouter | DeliveryQueue | RateLimiter> => {
  if (access === "off") return Layer.empty
  const guarded = Effect.fnUntraced(function* (limiting: Limiting.Limiting["Service"]) {
    if (access === "open") return yield* read
    const guard = { limiting, settings: { operatorToken, provisioning: access } }
    const refused = yield* operatorRefusal(yield* HttpServerRequest.HttpServerRequest, yield* Exchange, guard)
    if (refused !== undefined) return yield* refused
    return yield* read
  })
  return HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const queue = yield* DeliveryQueue
      const limiting = yield* Limiting.Limiting
      yield* router.add("GET", "/metrics", answer(Effect.provideService(guarded(limiting), DeliveryQueue, queue)))
    })
  ).pipe(Layer.provide(Limiting.layer))
}
