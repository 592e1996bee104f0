import { type DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { EventId } from "../Ids.js"
import type { DomainEvent } from "./DomainEvent.js"
import { endpointDisabledText } from "./OptInPayload.js"
import * as Traceparent from "./Traceparent.js"
import type { WebhookEndpoint } from "./WebhookEndpoint.js"

/**
 * Builds `endpoint.disabled` for the merchant's other endpoints. `reason` is shown to the merchant. It must be
 * undefined if the merchant or the operator disabled the endpoint.
 */
export const disabledEvent = (
  endpoint: WebhookEndpoint,
  reason: string | undefined,
  at: DateTime.Utc
): Effect.Effect<DomainEvent, never, SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    const traceparent = yield* Traceparent.current
    const event: DomainEvent = {
      id: yield* EventId.next,
      merchantId: endpoint.merchantId,
      environment: endpoint.environment,
      topic: "endpoint.disabled",
      body: endpointDisabledText(endpoint, reason, at),
      occurredAt: at,
      ...(traceparent === undefined ? {} : { traceparent })
    }
    return event
  })
