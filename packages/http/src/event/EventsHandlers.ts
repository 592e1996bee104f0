import type { Topic } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, EventId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { EndpointNotFound } from "@surety/core/merchant/MerchantError"
import { DateTime, Effect, type Layer, Option, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { pageRequest, toPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, readForm } from "../form/Form.js"
import { problem } from "../problem/Problem.js"
import { deliveryRecord, eventRecord } from "./EventRecord.js"
import { ResendRequest } from "./EventsApi.js"

const eventIn = pathId(EventId, "event_not_found")
const endpointIn = pathId(EndpointId, "endpoint_not_found")

const decodeEventId = Schema.decodeOption(EventId)

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
    const endpoints = yield* WebhookEndpoints

    const eventOf = Effect.fnUntraced(function* (scope: MerchantScope, sent: string) {
      const event = yield* log.find(scope, yield* eventIn(sent))
      if (Option.isNone(event)) return yield* problem("event_not_found")
      return event.value
    })

    /** An endpoint of the key's own environment; the other's are absent. */
    const endpointOf = Effect.fnUntraced(function* (scope: MerchantScope, sent: string | undefined) {
      if (sent === undefined) return undefined
      const { environment, id } = yield* endpoints.get(scope.merchantId, yield* endpointIn(sent))
      if (environment !== scope.environment) return yield* new EndpointNotFound({ endpointId: id })
      return id
    })

    /** The cursor is the last event that was shown; it stays where nothing is new. One that is none leads nowhere. */
    const follow = Effect.fnUntraced(function* (
      scope: MerchantScope,
      query: { readonly limit?: number; readonly cursor?: string; readonly topic?: Topic }
    ) {
      const { cursor, limit } = pageRequest(query)
      const after = cursor === undefined ? Option.none() : decodeEventId(cursor)
      if (cursor !== undefined && Option.isNone(after)) return { data: [] }
      const events = yield* log.follow(scope, { after: Option.getOrUndefined(after), limit })
      const nextCursor = events.at(-1)?.id ?? cursor
      return {
        data: events.filter(({ topic }) => query.topic === undefined || topic === query.topic).map(eventRecord),
        ...(nextCursor === undefined ? {} : { nextCursor })
      }
    })

    return handlers
      .handle("list", ({ query }) =>
        answer(
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            if (query.order === "oldest") return yield* follow(scope, query)
            return toPage(yield* log.list(scope, pageRequest(query), query.topic), eventRecord)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          Effect.gen(function* () {
            return eventRecord(yield* eventOf(yield* CurrentPrincipal, params.eventId))
          })
        )
      )
      .handle("deliveries", ({ params }) =>
        answer(
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { id } = yield* eventOf(scope, params.eventId)
            const deliveries = yield* log.deliveries(scope, id)
            return { data: deliveries.map(deliveryRecord) }
          })
        )
      )
      .handleRaw("resend", ({ params, request }) =>
        answer(
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { endpoint_id } = yield* readForm(request, resending, { whenEmpty: "empty object" })
            const { id } = yield* eventOf(scope, params.eventId)
            const endpointId = yield* endpointOf(scope, endpoint_id)
            return { eventId: id, scheduled: yield* log.resend(scope, id, endpointId, yield* DateTime.now) }
          })
        )
      )
  })
)
