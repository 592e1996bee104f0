import { EndpointEvents, type RecoverSince } from "@surety/core/event/EndpointEvents"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { EndpointRecord, endpointRecord, NewEndpointRecord, newEndpointRecord } from "@surety/http/event/EndpointRecord"
import { DeliveryRecord, deliveryRecord, EventRecord, eventRecord } from "@surety/http/event/EventRecord"
import {
  EndpointChangeRequest,
  EndpointRegistrationRequest,
  RecoveryRequest,
  RotationRequest,
  TestEventRequest
} from "@surety/http/event/WebhooksApi"
import { Moment } from "@surety/http/field/Moment"
import { DateTime, Effect, Schema, Struct } from "effect"
import { call, plain, type Run } from "../Call.js"

const record = plain(EndpointRecord)
const recordWithSecret = plain(NewEndpointRecord)

const sample = plain(EventRecord)
const deliveryOf = plain(DeliveryRecord)

/** `enable` reports the missed deliveries. */
const changes = Struct.omit(EndpointChangeRequest.fields, ["recover"])

const missed: RecoverSince = "missed"

const endpoint = { merchantId: MerchantId, endpointId: EndpointId }

const defaultOverlapSeconds = 86_400

/** Webhook endpoints: where merchants receive their events. */
export const webhooks = (run: Run) => ({
  /**
   * Creates an endpoint. Only this result has its signing secret. `maxPerSecond` limits the deliveries started each
   * second.
   */
  register: call(
    run,
    Schema.Struct({ merchantId: MerchantId, ...EndpointRegistrationRequest.fields }),
    ({ merchantId, ...registration }) =>
      Effect.flatMap(WebhookEndpoints, (service) =>
        Effect.map(
          service.register(merchantId, { environment: undefined, topics: undefined, ...registration }),
          (registered) => recordWithSecret(newEndpointRecord(registered))
        )
      )
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

  /** Changes the given fields. Enabling sends what was waiting. */
  update: call(run, Schema.Struct({ ...endpoint, ...changes }), ({ endpointId, merchantId, ...change }) =>
    Effect.flatMap(WebhookEndpoints, (service) =>
      Effect.map(service.update(merchantId, endpointId, change), (changed) => record(endpointRecord(changed)))
    )
  ),

  /**
   * Enables an endpoint and sends what it missed since it was disabled or began to fail, or since a time. Returns the
   * number of events due.
   */
  enable: call(
    run,
    Schema.Struct({ ...endpoint, since: Schema.optionalKey(Moment) }),
    ({ endpointId, merchantId, since = missed }) =>
      Effect.flatMap(EndpointEvents, (service) =>
        Effect.map(service.enable(merchantId, endpointId, {}, since), (enabled) => ({
          endpoint: record(endpointRecord(enabled.endpoint)),
          due: enabled.due
        }))
      )
  ),

  /** Sends a signed sample of a topic, marked as a test, to this endpoint alone. */
  sendTest: call(run, Schema.Struct({ ...endpoint, ...TestEventRequest.fields }), ({ endpointId, merchantId, topic }) =>
    Effect.flatMap(EndpointEvents, (service) =>
      Effect.map(service.sendTest(merchantId, endpointId, topic), ({ delivery, event }) => ({
        event: sample(eventRecord(event)),
        delivery: deliveryOf(deliveryRecord({ delivery, attempts: [] }))
      }))
    )
  ),

  /** Makes a new secret. The old one stays valid for `overlapSeconds` (default 86,400; 0 for a leaked one). */
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

  /** Sends the subscribed events of a time range that the endpoint did not receive. Returns the number due. */
  recover: call(
    run,
    Schema.Struct({ ...endpoint, ...RecoveryRequest.fields }),
    ({ endpointId, merchantId, since, until }) =>
      Effect.gen(function* () {
        const events = yield* EndpointEvents
        const range = { since, until: until ?? (yield* DateTime.now) }
        return { due: yield* events.recover(merchantId, endpointId, range) }
      })
  ),

  remove: call(run, Schema.Struct(endpoint), ({ endpointId, merchantId }) =>
    Effect.flatMap(WebhookEndpoints, (service) => service.remove(merchantId, endpointId))
  )
})
