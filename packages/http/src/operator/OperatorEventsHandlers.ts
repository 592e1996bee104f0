import type { Environment } from "@surety/core/Environment"
import { EventLog } from "@surety/core/event/EventLog"
import type { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { MerchantId } from "@surety/core/Ids"
import type { MerchantScope } from "@surety/core/merchant/Merchant"
import { Merchants } from "@surety/core/merchant/Merchants"
import { eventResent } from "@surety/core/operator/actionDrafts"
import type { OperatorActions } from "@surety/core/operator/OperatorActions"
import { toPage } from "@surety/core/Page"
import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import type { OperatorAccess } from "../access/OperatorAccess.js"
import { makeEventLookup } from "../event/EventLookup.js"
import { deliveryRecord, eventRecord } from "../event/EventRecord.js"
import { readPage } from "../field/Paging.js"
import { pathId } from "../field/PathId.js"
import { formOf, readForm } from "../form/Form.js"
import { makeActing } from "./ActingOperator.js"
import { OperatorResendRequest, operatorEventRefusals } from "./OperatorEventsApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")

const resending = formOf(OperatorResendRequest)

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "operatorEvents">,
  never,
  OperatorAccess | OperatorActions | Merchants | EventLog | WebhookEndpoints
> = HttpApiBuilder.group(
  Api,
  "operatorEvents",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const log = yield* EventLog
    const lookup = yield* makeEventLookup
    const acting = yield* makeActing

    const scopeOf = Effect.fnUntraced(function* (
      sent: string,
      { environment }: { readonly environment?: Environment }
    ) {
      const { id } = yield* merchants.get(yield* merchantIn(sent))
      const scope: MerchantScope = { merchantId: id, environment: environment ?? "LIVE" }
      return scope
    })

    return handlers
      .handle("listEvents", ({ params, query }) =>
        answer(
          operatorEventRefusals.listEvents,
          Effect.gen(function* () {
            const scope = yield* scopeOf(params.merchantId, query)
            const key = ["operatorEvents.listEvents", scope.merchantId, scope.environment] as const
            const found = yield* readPage(key, query, (page) => log.list(scope, page, query.topic))
            return { environment: scope.environment, ...toPage(found, eventRecord) }
          })
        )
      )
      .handle("listDeliveries", ({ params, query }) =>
        answer(
          operatorEventRefusals.listDeliveries,
          Effect.gen(function* () {
            const scope = yield* scopeOf(params.merchantId, query)
            const deliveries = yield* lookup.deliveriesOf(scope, params.eventId)
            return { environment: scope.environment, data: deliveries.map(deliveryRecord) }
          })
        )
      )
      .handle("listAllDeliveries", ({ query }) =>
        answer(
          operatorEventRefusals.listAllDeliveries,
          Effect.gen(function* () {
            const { endpointId, environment = "LIVE", merchantId, status } = query
            const filter = { environment, status, merchantId, endpointId }
            const key = ["operatorEvents.listAllDeliveries", environment] as const
            const found = yield* readPage(key, query, (page) => log.listDeliveries(filter, page))
            return { environment, ...toPage(found, (delivery) => delivery) }
          })
        )
      )
      .handleRaw("resendEvent", ({ params, query, request }) =>
        answer(
          operatorEventRefusals.resendEvent,
          Effect.gen(function* () {
            const { endpointId } = yield* readForm(request, resending, { whenEmpty: "empty object" })
            const scope = yield* scopeOf(params.merchantId, query)
            return yield* acting(lookup.resend(scope, params.eventId, endpointId), ({ eventId, scheduled }) =>
              eventResent(scope, eventId, scheduled)
            )
          })
        )
      )
  })
)
