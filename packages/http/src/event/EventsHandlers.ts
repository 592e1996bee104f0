import { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { pageRequest, toPage } from "../field/Paging.js"
import { formOf, readForm } from "../form/Form.js"
import { makeEventLookup } from "./EventLookup.js"
import { deliveryRecord, eventRecord } from "./EventRecord.js"
import { ResendRequest } from "./EventsApi.js"

const resending = formOf(ResendRequest)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "events">,
  never,
  MerchantAccess | EventLog | WebhookEndpoints
> = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const log = yield* EventLog
    const lookup = yield* makeEventLookup

    return handlers
      .handle("list", ({ query }) =>
        answer(
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            return toPage(yield* log.list(scope, pageRequest(query), query.topic), eventRecord)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          Effect.gen(function* () {
            return eventRecord(yield* lookup.eventOf(yield* CurrentPrincipal, params.eventId))
          })
        )
      )
      .handle("deliveries", ({ params }) =>
        answer(
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const deliveries = yield* lookup.deliveriesOf(scope, params.eventId)
            return { data: deliveries.map(deliveryRecord) }
          })
        )
      )
      .handleRaw("resend", ({ params, request }) =>
        answer(
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { endpoint_id } = yield* readForm(request, resending, { whenEmpty: "empty object" })
            return yield* lookup.resend(scope, params.eventId, endpoint_id)
          })
        )
      )
  })
)
