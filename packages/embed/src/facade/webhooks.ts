import { Environment } from "@surety/core/Environment"
import { Topic } from "@surety/core/event/DomainEvent"
import { EndpointEvents, type RecoverSince } from "@surety/core/event/EndpointEvents"
import { EndpointStatus } from "@surety/core/event/WebhookEndpoint"
import { WebhookEndpoints } from "@surety/core/event/WebhookEndpoints"
import { EndpointId, MerchantId } from "@surety/core/Ids"
import { WebUrl } from "@surety/core/input/Addresses"
import { Moment } from "@surety/core/input/Text"
import { DeliveryRate, OverlapSeconds, Topics } from "@surety/core/input/WebhookFields"
import { DateTime, Effect, Schema } from "effect"
import { call, type Run } from "../Call.js"
import { plainDelivery, plainEndpoint, plainNewEndpoint, plainTestEvent } from "../record/Events.js"
import { whole } from "./input/paging.js"

const changes = {
  url: Schema.optionalKey(WebUrl),
  topics: Schema.optionalKey(Topics),
  status: Schema.optionalKey(EndpointStatus),
  maxPerSecond: Schema.optionalKey(Schema.NullOr(DeliveryRate))
}

const missed: RecoverSince = "missed"

const endpoint = { merchantId: MerchantId, endpointId: EndpointId }

const defaultOverlapSeconds = 86_400

/** Webhook endpoints, which receive merchants' events. */
export const webhooks = (run: Run) => ({
  /**
   * Creates an endpoint. Only this result contains its signing secret. Without `topics`, the endpoint gets the topics
   * that `events.types` marks with `isDefault`. `maxPerSecond` limits the deliveries started per second. Fails with
   * `TargetNotAllowed` if webhooks may not be sent to `url`.
   */
  register: call(
    run,
    Schema.Struct({
      merchantId: MerchantId,
      url: WebUrl,
      environment: Environment,
      topics: Schema.optionalKey(Topics),
      maxPerSecond: Schema.optionalKey(DeliveryRate)
    }),
    ({ merchantId, ...registration }) =>
      Effect.flatMap(WebhookEndpoints, (service) =>
        Effect.map(service.register(merchantId, { topics: undefined, ...registration }), (registered) =>
          plainNewEndpoint(registered)
        )
      )
  ),

  get: call(run, Schema.Struct(endpoint), ({ endpointId, merchantId }) =>
    Effect.flatMap(WebhookEndpoints, (service) =>
      Effect.map(service.get(merchantId, endpointId), (found) => plainEndpoint(found))
    )
  ),

  /** The merchant's endpoints, oldest first. */
  list: call(run, Schema.Struct({ merchantId: MerchantId }), ({ merchantId }) =>
    Effect.flatMap(WebhookEndpoints, (service) =>
      Effect.map(service.list(merchantId), (found) => whole(found.map(plainEndpoint)))
    )
  ),

  /**
   * Changes the given fields. Enabling an endpoint resumes its pending deliveries. To also send the events that it
   * missed, call `enable` instead.
   */
  update: call(run, Schema.Struct({ ...endpoint, ...changes }), ({ endpointId, merchantId, ...change }) =>
    Effect.flatMap(WebhookEndpoints, (service) =>
      Effect.map(service.update(merchantId, endpointId, change), (changed) => plainEndpoint(changed))
    )
  ),

  /**
   * Enables an endpoint and sends the events that it missed from `since` on. By default, `since` is up to a minute
   * before it was disabled or began to fail, whichever is earlier. Returns the endpoint and, as `due`, the number of
   * events to send. Fails with `EventArchived`, normally before any change, if a month since then is archived. If
   * it fails after it has enabled the endpoint, call it again without `since`.
   */
  enable: call(
    run,
    Schema.Struct({ ...endpoint, since: Schema.optionalKey(Moment) }),
    ({ endpointId, merchantId, since = missed }) =>
      Effect.flatMap(EndpointEvents, (service) =>
        service.enable(merchantId, endpointId, {}, since).pipe(
          Effect.flatMap(service.sendMissed),
          Effect.map((recovered) => ({ ...plainEndpoint(recovered.endpoint), due: recovered.due }))
        )
      )
  ),

  /**
   * Sends a signed sample of a topic, marked as a test, to this endpoint alone. The default topic is `refund.completed`
   * if the endpoint subscribes to it, otherwise the endpoint's first topic. Fails with `EndpointDisabled` if the
   * endpoint is disabled.
   */
  sendTest: call(
    run,
    Schema.Struct({ ...endpoint, topic: Schema.optionalKey(Topic) }),
    ({ endpointId, merchantId, topic }) =>
      Effect.flatMap(EndpointEvents, (service) =>
        Effect.map(service.sendTest(merchantId, endpointId, topic), ({ delivery, event }) => ({
          event: plainTestEvent(event),
          delivery: plainDelivery({ delivery, attempts: [] })
        }))
      )
  ),

  /**
   * Issues a new secret. The old secret stays valid for `overlapSeconds`, default 86,400 (24 hours). Use 0 for a leaked
   * secret.
   */
  rotateSecret: call(
    run,
    Schema.Struct({ ...endpoint, overlapSeconds: Schema.optionalKey(OverlapSeconds) }),
    ({ endpointId, merchantId, overlapSeconds = defaultOverlapSeconds }) =>
      Effect.flatMap(WebhookEndpoints, (service) =>
        Effect.map(service.rotateSecret(merchantId, endpointId, overlapSeconds), (rotated) => plainNewEndpoint(rotated))
      )
  ),

  /**
   * Sends the subscribed events that the endpoint missed in a time range. The range goes by when events were recorded.
   * `until` defaults to now. Returns, as `due`, the number of events to send. An event whose delivery retention has
   * deleted is sent again. Fails with `EndpointDisabled` if the endpoint is disabled, or with `EventArchived` if
   * events in the range are archived.
   */
  recover: call(
    run,
    Schema.Struct({ ...endpoint, since: Moment, until: Schema.optionalKey(Moment) }),
    ({ endpointId, merchantId, since, until }) =>
      Effect.gen(function* () {
        const events = yield* EndpointEvents
        const range = { since, until: until ?? (yield* DateTime.now) }
        return { due: yield* events.recover(merchantId, endpointId, range) }
      })
  ),

  /** Removes an endpoint and stops sending to it. Returns the endpoint as it was before removal. */
  remove: call(run, Schema.Struct(endpoint), ({ endpointId, merchantId }) =>
    Effect.gen(function* () {
      const service = yield* WebhookEndpoints
      const removed = yield* service.get(merchantId, endpointId)
      yield* service.remove(merchantId, endpointId)
      return plainEndpoint(removed)
    })
  )
})
