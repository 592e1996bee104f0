import { DateTime } from "effect"
import type { ConsentGranted, DataRequestApproved, DataRequestDenied, DomainEvent } from "../event/DomainEvent.js"
import type { EventId } from "../Ids.js"
import type { Grant } from "./grant/Grant.js"
import type { DataRequest } from "./request/DataRequest.js"

const eventOf = (
  { environment, merchantId }: DataRequest | Grant,
  id: EventId,
  topic: DomainEvent["topic"],
  occurredAt: DateTime.Utc,
  payload: Readonly<Record<string, unknown>>
): DomainEvent => ({ id, merchantId, environment, topic, body: JSON.stringify(payload), occurredAt })

/** The event with the trace of the request that caused it, as `Traceparent` says. */
export const traced = (event: DomainEvent, traceparent: string | undefined): DomainEvent =>
  traceparent === undefined ? event : { ...event, traceparent }

/** `merchant.identity.consent_granted`. */
export const granted = (grant: Grant, id: EventId): DomainEvent =>
  eventOf(grant, id, "merchant.identity.consent_granted", grant.grantedAt, {
    merchantId: grant.merchantId,
    serviceId: grant.serviceId,
    grantId: grant.id,
    fields: grant.fields,
    dataRequestId: grant.dataRequestId,
    grantedAt: DateTime.formatIso(grant.grantedAt),
    expiresAt: DateTime.formatIso(grant.expiresAt)
  } satisfies Record<keyof ConsentGranted, unknown>)

/** `merchant.identity.request.approved`. */
export const approved = (request: DataRequest, id: EventId, decidedAt: DateTime.Utc): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.approved", decidedAt, {
    merchantId: request.merchantId,
    dataRequestId: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    approvedFields: request.approvedFields,
    status: request.status,
    decidedAt: DateTime.formatIso(decidedAt)
  } satisfies Record<keyof DataRequestApproved, unknown>)

/** `merchant.identity.request.denied`. */
export const denied = (request: DataRequest, id: EventId, decidedAt: DateTime.Utc): DomainEvent =>
  eventOf(request, id, "merchant.identity.request.denied", decidedAt, {
    merchantId: request.merchantId,
    dataRequestId: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: request.status,
    decidedAt: DateTime.formatIso(decidedAt)
  } satisfies Record<keyof DataRequestDenied, unknown>)
