import type { DateTime } from "effect"
import type { DomainEvent } from "../event/DomainEvent.js"
import { consentGrantedText, dataRequestApprovedText, dataRequestDeniedText } from "../event/EventPayload.js"
import type { EventId } from "../Ids.js"
import type { Grant } from "./grant/Grant.js"
import type { DataRequest } from "./request/DataRequest.js"

const eventOf = (
  { environment, merchantId }: DataRequest | Grant,
  id: EventId,
  topic: DomainEvent["topic"],
  occurredAt: DateTime.Utc,
  body: string
): DomainEvent => ({ id, merchantId, environment, topic, body, occurredAt })

/** The event with the trace of the request that caused it, as `Traceparent` says. */
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
