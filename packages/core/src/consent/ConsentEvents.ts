import { DateTime, Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { ConsumerId } from "../consumer/ConsumerId.js"
import type { IdentityField } from "../consumer/IdentityField.js"
import type { DomainEvent } from "../event/DomainEvent.js"
import {
  consentGrantedText,
  dataRequestApprovedText,
  dataRequestDeniedText,
  payloadText
} from "../event/EventPayload.js"
import { consentEndedText, type DataChanged, dataRequestExpiredText } from "../event/OptInPayload.js"
import * as PlatformEvent from "../event/PlatformEvent.js"
import * as Traceparent from "../event/Traceparent.js"
import { EventId } from "../Ids.js"
import type { MerchantScope } from "../merchant/Merchant.js"
import type { Grant } from "./grant/Grant.js"
import type { DataRequest } from "./request/DataRequest.js"

const eventOf = (
  { environment, merchantId }: MerchantScope,
  id: EventId,
  topic: DomainEvent["topic"],
  occurredAt: DateTime.Utc,
  body: string
): DomainEvent => ({ id, merchantId, environment, topic, body, occurredAt })

/** The event with the trace of the HTTP request that caused it, as `Traceparent` says. */
export const traced = (event: DomainEvent, traceparent: string | undefined): DomainEvent =>
  traceparent === undefined ? event : { ...event, traceparent }

/** `merchant.identity.consent_granted`. */
export const granted = (grant: Grant, id: EventId): DomainEvent =>
  eventOf(grant, id, "merchant.identity.consent_granted", grant.grantedAt, consentGrantedText(grant))

/** `merchant.identity.request.approved`. */
export const approved = (request: DataRequest, id: EventId, decidedAt: DateTime.Utc): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.approved", decidedAt, dataRequestApprovedText(request, decidedAt))

/** `merchant.identity.request.denied`. */
export const denied = (request: DataRequest, id: EventId, decidedAt: DateTime.Utc): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.denied", decidedAt, dataRequestDeniedText(request, decidedAt))

/** `merchant.identity.request.expired`, dated at the moment of expiry. */
export const requestExpired = (request: DataRequest, id: EventId): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.expired", request.expiresAt, dataRequestExpiredText(request))

/** `merchant.identity.consent_revoked`, or `…expired` if its time was over, dated at the moment when it ended. */
export const ended = (grant: Grant, id: EventId): DomainEvent => {
  const at = grant.revokedAt ?? grant.usedAt ?? grant.expiresAt
  const topic = grant.status === "REVOKED" ? "merchant.identity.consent_revoked" : "merchant.identity.consent_expired"
  return eventOf(grant, id, topic, at, consentEndedText(grant, at))
}

/** `consent.disowned`: the person of the request says that it is not for them. */
export const disowned = (
  { environment, id: dataRequestId, merchantId, serviceId }: DataRequest,
  id: EventId,
  disownedAt: DateTime.Utc
): PlatformEvent.PlatformEvent =>
  PlatformEvent.make({
    id,
    merchantId,
    environment,
    topic: "consent.disowned",
    occurredAt: disownedAt,
    payload: { merchantId, dataRequestId, serviceId, disownedAt: DateTime.formatIso(disownedAt) }
  })

/**
 * `merchant.identity.data_changed`, to be committed with the change: `fields` are those of the changed ones that a
 * grant in force lets the merchant read. Without such fields, make no event.
 */
export const dataChanged = (
  scope: MerchantScope,
  serviceId: ConsumerId,
  fields: ReadonlyArray<IdentityField>
): Effect.Effect<DomainEvent, never, SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    const now = yield* DateTime.now
    const { merchantId } = scope
    const body = payloadText<DataChanged>({ merchantId, serviceId, fields, changedAt: DateTime.formatIso(now) })
    const event = eventOf(scope, yield* EventId.next, "merchant.identity.data_changed", now, body)
    return traced(event, yield* Traceparent.current)
  })
