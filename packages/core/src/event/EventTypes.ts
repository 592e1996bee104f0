import { Schema } from "effect"
import * as EventPayload from "./EventPayload.js"
import * as OptInPayload from "./OptInPayload.js"

/**
 * Definition of a topic, whose name is its key in `eventTypes`. The API documentation and the SDKs' generated code
 * derive from it.
 */
interface EventType<P extends Schema.Codec<unknown, unknown>> {
  /** Name of the payload's type in the OpenAPI document and in generated code. */
  readonly name: string
  readonly description: string
  readonly payload: P
  /** True for the five topics of specification 6.2, the default for endpoints that name no topics. */
  readonly isDefault: boolean
  /**
   * A key absent from every other payload in `eventTypes`. If `value` is set, other payloads may have the key, but not
   * with this value. The signed payload thus proves its topic.
   */
  readonly mark: { readonly key: string; readonly value?: string }
  readonly example: P["Encoded"]
}

const eventType = <const P extends Schema.Codec<unknown, unknown>>(type: EventType<P>): EventType<P> => type

const merchantId = "merchant_01jd4c2v3yf8qa8m5s2k9xw7zt"
const serviceId = "SR1-K7QM-WX4T-A"
const userId = "user_01jd4c2x8mf4qrb6v1t3z5k7hn"
const grantId = "grant_01jd4c8w2zf5hx9b3n6r4t7kqm"
const dataRequestId = "datareq_01jd4c7a9mf4wk8t2v5z3q6hyn"
const endpointId = "endpoint_01jd4c9h5xf6nt2w8r3v7k4qbm"
const transactionId = "payment_01jd4c3m6kfz2bq7r9t4h8n5wx"
const refundId = "refund_01jd4c5p8tf3vs6y2k7m9q4hzn"
const requested = ["display_name", "email", "kyc_status"]
const approved = ["display_name", "email"]
const decidedAt = "2026-11-20T11:00:00.000Z"
const endsAt = "2027-05-19T11:00:00.000Z"
const refund = { merchantId, refundId, transactionId, reference: "ORDER-1042", amount: 2500.5, currency: "NGN" }

/** All topics sent to merchants. The PostgreSQL migrations repeat their names. New topics need `isDefault: false`. */
export const eventTypes = {
  "transaction.settled": eventType({
    name: "TransactionSettled",
    description: "A payment to the merchant has settled.",
    payload: EventPayload.TransactionSettled,
    isDefault: true,
    mark: { key: "settledAt" },
    example: {
      ...{ merchantId, transactionId, reference: "ORDER-1042", amount: 2500.5, currency: "NGN" },
      ...{ status: "SETTLED", serviceId, settledAt: "2026-11-20T09:30:00.000Z" }
    }
  }),
  "refund.completed": eventType({
    name: "RefundCompleted",
    description: "The customer's primary wallet has been credited.",
    payload: EventPayload.RefundCompleted,
    isDefault: true,
    mark: { key: "status", value: "COMPLETED" },
    example: {
      ...refund,
      ...{ reason: "Arrived broken", status: "COMPLETED", serviceId },
      ...{ completedAt: "2026-11-20T10:15:30.250Z", merchantReference: "RET-77" }
    }
  }),
  "merchant.identity.consent_granted": eventType({
    name: "ConsentGranted",
    description: "A person lets the merchant read these fields.",
    payload: EventPayload.ConsentGranted,
    isDefault: true,
    mark: { key: "grantedAt" },
    example: {
      merchantId,
      serviceId,
      grantId,
      fields: approved,
      dataRequestId,
      grantedAt: decidedAt,
      expiresAt: endsAt
    }
  }),
  "merchant.identity.request.approved": eventType({
    name: "DataRequestApproved",
    description: "A person approved a data request; `approvedFields` may be fewer than were requested.",
    payload: EventPayload.DataRequestApproved,
    isDefault: true,
    mark: { key: "approvedFields" },
    example: {
      ...{ merchantId, dataRequestId, serviceId, requestedFields: requested, approvedFields: approved },
      ...{ status: "APPROVED", decidedAt }
    }
  }),
  "merchant.identity.request.denied": eventType({
    name: "DataRequestDenied",
    description: "A person denied a data request.",
    payload: EventPayload.DataRequestDenied,
    isDefault: true,
    mark: { key: "status", value: "DENIED" },
    example: { merchantId, dataRequestId, serviceId, requestedFields: requested, status: "DENIED", decidedAt }
  }),
  "merchant.identity.request.expired": eventType({
    name: "DataRequestExpired",
    description: "A data request expired without a decision.",
    payload: OptInPayload.DataRequestExpired,
    isDefault: false,
    mark: { key: "expiredAt" },
    example: {
      ...{ merchantId, dataRequestId, serviceId, requestedFields: requested },
      ...{ status: "EXPIRED", expiredAt: "2026-11-27T09:30:00.000Z" }
    }
  }),
  "merchant.identity.consent_revoked": eventType({
    name: "ConsentRevoked",
    description: "A grant was revoked: the next read of these fields fails.",
    payload: OptInPayload.ConsentRevoked,
    isDefault: false,
    mark: { key: "grantStatus", value: "REVOKED" },
    example: {
      merchantId,
      serviceId,
      grantId,
      fields: approved,
      at: "2026-12-01T08:00:00.000Z",
      grantStatus: "REVOKED"
    }
  }),
  "merchant.identity.consent_expired": eventType({
    name: "ConsentExpired",
    description: "A grant expired: the next read of these fields fails.",
    payload: OptInPayload.ConsentExpired,
    isDefault: false,
    mark: { key: "grantStatus", value: "EXPIRED" },
    example: { merchantId, serviceId, grantId, fields: approved, at: endsAt, grantStatus: "EXPIRED" }
  }),
  "merchant.identity.data_changed": eventType({
    name: "DataChanged",
    description: "Fields that the merchant may read have new values. Read them again; the event contains no values.",
    payload: OptInPayload.DataChanged,
    isDefault: false,
    mark: { key: "changedAt" },
    example: { merchantId, serviceId, fields: ["email"], changedAt: "2026-12-02T08:00:00.000Z" }
  }),
  "kyc.verification.completed": eventType({
    name: "VerificationCompleted",
    description: "A verification has ended. The payload is its record.",
    payload: OptInPayload.VerificationCompleted,
    isDefault: false,
    mark: { key: "checks" },
    example: {
      reference: "kyc_01jd4cb3q7f8xs4w2n6t9v5hkm",
      ...{ providerReference: "sandbox-7f3a", status: "VERIFIED", kind: "bvn", serviceId, userId, tier: "TIER_2" },
      checks: { first_name: "MATCH", last_name: "MATCH", date_of_birth: "MATCH", selfie: "NOT_CHECKED" },
      ...{ provider: "sandbox", createdAt: "2026-11-20T12:00:00.000Z", completedAt: "2026-11-20T12:00:01.500Z" }
    }
  }),
  "refund.failed": eventType({
    name: "RefundFailed",
    description:
      "The wallet declined a refund: the money is back with the merchant, and the idempotency key can be used again.",
    payload: OptInPayload.RefundFailed,
    isDefault: false,
    mark: { key: "failedAt" },
    example: {
      ...refund,
      ...{ reason: "Arrived broken", status: "FAILED", serviceId, merchantReference: "RET-77" },
      ...{ failureReason: "wallet_declined", failedAt: "2026-11-20T10:16:00.000Z" }
    }
  }),
  "endpoint.disabled": eventType({
    name: "EndpointDisabled",
    description: "An endpoint of the merchant was disabled. Its other endpoints get this event.",
    payload: OptInPayload.EndpointDisabled,
    isDefault: false,
    mark: { key: "disabledAt" },
    example: {
      ...{ merchantId, endpointId, reason: "The endpoint returned 410 Gone." },
      disabledAt: "2026-11-21T09:00:00.000Z"
    }
  })
}

/**
 * Version of the payload format, sent as `X-Service-Event-Version`. Adding a key to a payload does not change the
 * version.
 */
export const eventVersion = "1"

/** Returns the JSON Schema (draft 2020-12) of a topic's payload, without references. */
export const payloadJsonSchema = (topic: keyof typeof eventTypes): Readonly<Record<string, unknown>> =>
  Schema.toJsonSchemaDocument(eventTypes[topic].payload).schema
