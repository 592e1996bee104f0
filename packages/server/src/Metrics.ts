import { DeliveryQueue } from "@surety/core/event/DeliveryQueue"
import { answer } from "@surety/http/Answer"
import { operatorProblem } from "@surety/http/access/OperatorToken"
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
): Layer.Layer<never, never, HttpRouter.HttpRouter | DeliveryQueue> => {
  if (access === "off") return Layer.empty
  const guarded = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const refused = access === "open" ? undefined : operatorProblem(request, operatorToken)
    if (refused !== undefined) return yield* refused
    return yield* read
  })
  return HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const queue = yield* DeliveryQueue
      yield* router.add("GET", "/metrics", answer(Effect.provideService(guarded, DeliveryQueue, queue)))
    })
  )
}
