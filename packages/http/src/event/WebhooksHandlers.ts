import { EventLog, type EventRange } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { Merchants } from "@surety/core/merchant/Merchants"
import { DateTime, Effect, type Layer, Result } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { answer } from "../Answer.js"
import { Api } from "../Api.js"
import type { ProvisioningAccess } from "../access/OperatorAccess.js"
import { pathId } from "../field/PathId.js"
import { formOf, formWith, readForm } from "../form/Form.js"
import { inBody } from "../problem/Fault.js"
import { endpointRecord, newEndpointRecord } from "./EndpointRecord.js"
import { EndpointChangeRequest, EndpointRegistrationRequest, RecoveryRequest, RotationRequest } from "./WebhooksApi.js"

const merchantIn = pathId(MerchantId, "merchant_not_found")
const endpointIn = pathId(EndpointId, "endpoint_not_found")

const registration = formOf(EndpointRegistrationRequest)
const change = formOf(EndpointChangeRequest)
const rotation = formOf(RotationRequest)

const recovery = formWith(RecoveryRequest, {
  understand: ({ since, until }) =>
    until !== undefined && DateTime.isLessThanOrEqualTo(until, since)
      ? Result.fail([inBody(["until"], "out_of_range", "The end must be later than the start.")])
      : Result.succeed({ since, until })
})

const defaultOverlapSeconds = 86_400

export const layer: Layer.Layer<
  HttpApiGroup.Service<"surety", "webhooks">,
  never,
  ProvisioningAccess | Merchants | WebhookEndpoints | EventLog
> = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const endpoints = yield* WebhookEndpoints
    const log = yield* EventLog

    /** An unknown merchant is told apart from an endpoint that it does not have. */
    const merchantOf = (sent: string) =>
      Effect.gen(function* () {
        const { id } = yield* merchants.get(yield* merchantIn(sent))
        return id
      })

    return handlers
      .handleRaw("register", ({ params, request }) =>
        answer(
          Effect.gen(function* () {
            const { environment, topics, url } = yield* readForm(request, registration)
            const merchantId = yield* merchantIn(params.merchantId)
            return newEndpointRecord(yield* endpoints.register(merchantId, { url, environment, topics }))
          })
        )
      )
      .handle("list", ({ params }) =>
        answer(
          Effect.gen(function* () {
            const list = yield* endpoints.list(yield* merchantOf(params.merchantId))
            return { data: list.map(endpointRecord) }
          })
        )
      )
      .handle("get", ({ params }) =>
        answer(
          Effect.gen(function* () {
            const merchantId = yield* merchantOf(params.merchantId)
            return endpointRecord(yield* endpoints.get(merchantId, yield* endpointIn(params.endpointId)))
          })
        )
      )
      .handleRaw("update", ({ params, request }) =>
        answer(
          Effect.gen(function* () {
            const changes = yield* readForm(request, change)
            const merchantId = yield* merchantOf(params.merchantId)
            return endpointRecord(yield* endpoints.update(merchantId, yield* endpointIn(params.endpointId), changes))
          })
        )
      )
      .handle("remove", ({ params }) =>
        answer(
          Effect.gen(function* () {
            const merchantId = yield* merchantOf(params.merchantId)
            yield* endpoints.remove(merchantId, yield* endpointIn(params.endpointId))
          })
        )
      )
      .handleRaw("rotateSecret", ({ params, request }) =>
        answer(
          Effect.gen(function* () {
            const { overlapSeconds = defaultOverlapSeconds } = yield* readForm(request, rotation, {
              whenEmpty: "empty object"
            })
            const merchantId = yield* merchantOf(params.merchantId)
            const endpointId = yield* endpointIn(params.endpointId)
            return newEndpointRecord(yield* endpoints.rotateSecret(merchantId, endpointId, overlapSeconds))
          })
        )
      )
      .handleRaw("recover", ({ params, request }) =>
        answer(
          Effect.gen(function* () {
            const { since, until } = yield* readForm(request, recovery)
            const merchantId = yield* merchantOf(params.merchantId)
            const { environment, id } = yield* endpoints.get(merchantId, yield* endpointIn(params.endpointId))
            const now = yield* DateTime.now
            const range: EventRange = { since, until: until ?? now }
            return { due: yield* log.recover({ merchantId, environment }, id, range, now) }
          })
        )
      )
  })
)
