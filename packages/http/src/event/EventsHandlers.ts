import type { Topic } from "@surety/core/event/DomainEvent"
import { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EventId } from "@surety/core/Ids"
import { defaultLimit } from "@surety/core/input/ListCursor"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { toPage } from "@surety/core/Page"
import { Effect, type Layer, Option, Schema } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import { CurrentPrincipal, type MerchantAccess } from "../access/MerchantAccess.js"
import { cursorUnknown, readPage } from "../field/Paging.js"
import { formOf, readForm } from "../form/Form.js"
import { makeEventLookup } from "./EventLookup.js"
import { deliveryRecord, eventRecord, eventTypeRecords } from "./EventRecord.js"
import { eventRefusals, ResendRequest } from "./EventsApi.js"

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
    const lookup = yield* makeEventLookup

    /**
     * Lists events oldest first. The next cursor is the id of the last event read, even if the topic filter drops that
     * event. If no event follows the cursor's event, returns the same cursor. Rejects a cursor that is not a listed
     * event's id, because polling with it would only ever return empty pages.
     */
    const follow = Effect.fnUntraced(function* (
      scope: MerchantScope,
      query: { readonly limit?: number; readonly cursor?: string; readonly topic?: Topic }
    ) {
      const { cursor, limit = defaultLimit } = query
      const after = cursor === undefined ? Option.none() : decodeEventId(cursor)
      if (cursor !== undefined && Option.isNone(after)) return yield* cursorUnknown
      const events = yield* log.follow(scope, { after: Option.getOrUndefined(after), limit })
      if (events.length === 0 && Option.isSome(after)) {
        const shown = yield* log.find(scope, after.value)
        if (!Option.exists(shown, ({ testFor }) => testFor === undefined)) return yield* cursorUnknown
      }
      const nextCursor = events.at(-1)?.id ?? cursor
      return {
        data: events.filter(({ topic }) => query.topic === undefined || topic === query.topic).map(eventRecord),
        ...(nextCursor === undefined ? {} : { nextCursor })
      }
    })

    return handlers
      .handle("list", ({ query }) =>
        answer(
          eventRefusals.list,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            if (query.order === "oldest") return yield* follow(scope, query)
            const key = ["events.list", scope.merchantId, scope.environment] as const
            const found = yield* readPage(key, query, (page) => log.list(scope, page, query.topic))
            return toPage(found, eventRecord)
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          eventRefusals.get,
          Effect.gen(function* () {
            return eventRecord(yield* lookup.eventOf(yield* CurrentPrincipal, params.eventId))
          })
        )
      )
      .handle("deliveries", ({ params }) =>
        answer(
          eventRefusals.deliveries,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const deliveries = yield* lookup.deliveriesOf(scope, params.eventId)
            return { data: deliveries.map(deliveryRecord) }
          })
        )
      )
      .handleRaw("resend", ({ params, request }) =>
        answer(
          eventRefusals.resend,
          Effect.gen(function* () {
            const scope = yield* CurrentPrincipal
            const { endpoint_id } = yield* readForm(request, resending, { whenEmpty: "empty object" })
            return yield* lookup.resend(scope, params.eventId, endpoint_id)
          })
        )
      )
      .handle("types", () => answer(eventRefusals.types, Effect.succeed({ data: eventTypeRecords })))
  })
)
