import { EventLog } from "@surety/core/event/EventLog"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { EndpointRecord, endpointRecord, NewEndpointRecord, newEndpointRecord } from "@surety/http/event/EndpointRecord"
import {
  EndpointChangeRequest,
  EndpointRegistrationRequest,
  RecoveryRequest,
  RotationRequest
} from "@surety/http/event/WebhooksApi"
import { DateTime, Effect, Schema } from "effect"
import { call, plain, type Run } from "../Call.js"

const record = plain(EndpointRecord)
const recordWithSecret = plain(NewEndpointRecord)

const endpoint = { merchantId: MerchantId, endpointId: EndpointId }

const defaultOverlapSeconds = 86_400

/** Where merchants are told of their events. */
export const webhooks = (run: Run) => ({
  /** The answer has the signing secret, this once. */
  register: call(
    run,
    Schema.Struct({ merchantId: MerchantId, ...EndpointRegistrationRequest.fields }),
    ({ environment, merchantId, topics, url }) =>
      Effect.gen(function* () {
        const service = yield* WebhookEndpoints
        const registered = yield* service.register(merchantId, { url, environment, topics })
        return recordWithSecret(newEndpointRecord(registered))
      })
  ),

  get: call(run, Schema.Struct(endpoint), ({ endpointId, merchantId }) =>
    Effect.flatMap(WebhookEndpoints, (service) =>
      Effect.map(service.get(merchantId, endpointId), (found) => record(endpointRecord(found)))
    )
  ),

  /** Oldest first. */
  list: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.flatMap(WebhookEndpoints, (service) =>
      Effect.map(service.list(merchantId), (found) => found.map((each) => record(endpointRecord(each))))
    )
  ),

  /** Changes the fields that are given. */
  update: call(
    run,
    Schema.Struct({ ...endpoint, ...EndpointChangeRequest.fields }),
    ({ endpointId, merchantId, ...change }) =>
      Effect.flatMap(WebhookEndpoints, (service) =>
        Effect.map(service.update(merchantId, endpointId, change), (changed) => record(endpointRecord(changed)))
      )
  ),

  /** The secret before stays in force for `overlapSeconds` (default 86,400; 0 for a leaked one). */
  rotateSecret: call(
    run,
    Schema.Struct({ ...endpoint, ...RotationRequest.fields }),
    ({ endpointId, merchantId, overlapSeconds = defaultOverlapSeconds }) =>
      Effect.flatMap(WebhookEndpoints, (service) =>
        Effect.map(service.rotateSecret(merchantId, endpointId, overlapSeconds), (rotated) =>
          recordWithSecret(newEndpointRecord(rotated))
        )
      )
  ),

  /** Sends the events of a time range that the endpoint wants and did not get. Answers how many are due. */
  recover: call(
    run,
    Schema.Struct({ ...endpoint, ...RecoveryRequest.fields }),
    ({ endpointId, merchantId, since, until }) =>
      Effect.gen(function* () {
        const service = yield* WebhookEndpoints
        const log = yield* EventLog
        const { environment } = yield* service.get(merchantId, endpointId)
        const now = yield* DateTime.now
        const due = yield* log.recover({ merchantId, environment }, endpointId, { since, until: until ?? now }, now)
        return { due }
      })
  ),

  remove: call(run, Schema.Struct(endpoint), ({ endpointId, merchantId }) =>
    Effect.flatMap(WebhookEndpoints, (service) => service.remove(merchantId, endpointId))
  )
})
