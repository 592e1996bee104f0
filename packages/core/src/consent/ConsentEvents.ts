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

/** Adds a `traceparent` to the event, if one is given. */
export const traced = (event: DomainEvent, traceparent: string | undefined): DomainEvent =>
  traceparent === undefined ? event : { ...event, traceparent }

/** Builds `merchant.identity.consent_granted`, dated at the start of the grant. */
export const granted = (grant: Grant, id: EventId): DomainEvent =>
  eventOf(grant, id, "merchant.identity.consent_granted", grant.grantedAt, consentGrantedText(grant))

/** Builds `merchant.identity.request.approved`. */
export const approved = (request: DataRequest, id: EventId, decidedAt: DateTime.Utc): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.approved", decidedAt, dataRequestApprovedText(request, decidedAt))

/** Builds `merchant.identity.request.denied`. */
export const denied = (request: DataRequest, id: EventId, decidedAt: DateTime.Utc): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.denied", decidedAt, dataRequestDeniedText(request, decidedAt))

/** Builds `merchant.identity.request.expired`, dated at the time of expiry. */
export const requestExpired = (request: DataRequest, id: EventId): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.expired", request.expiresAt, dataRequestExpiredText(request))

/**
 * Builds `merchant.identity.consent_revoked` if the grant was revoked, otherwise `merchant.identity.consent_expired`.
 * The event is dated at the time the grant ended.
 */
export const ended = (grant: Grant, id: EventId): DomainEvent => {
  const at = grant.revokedAt ?? grant.usedAt ?? grant.expiresAt
  const topic = grant.status === "REVOKED" ? "merchant.identity.consent_revoked" : "merchant.identity.consent_expired"
  return eventOf(grant, id, topic, at, consentEndedText(grant, at))
}

/** Builds `consent.disowned`, which reports a `NOT_ME` denial to the platform. */
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
 * Builds `merchant.identity.data_changed`, to commit together with the change. `fields` must be the changed fields that
 * the merchant may read under an active grant, and must not be empty.
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
