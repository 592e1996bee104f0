import { type DateTime, Schema, Struct } from "effect"
import { BusinessCode, ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { DataRequestId, EventId, MerchantId, PaymentId, RefundId, UserId } from "../Ids.js"
import { MerchantStatus } from "../merchant/Merchant.js"
import type { DomainEvent } from "./DomainEvent.js"
import { PayloadAmount, PayloadTime, payloadText } from "./EventPayload.js"

/** Kind of a rights request: a copy of the person's details, a correction, or erasure. */
export const PersonRight = Schema.Literals(["EXPORT", "RECTIFY", "ERASE"])
export type PersonRight = typeof PersonRight.Type

/** Payloads of the topics that only the platform receives (contract 15.1). */
export const platformPayloads = {
  "merchant.created": Schema.Struct({
    merchantId: MerchantId,
    businessCode: BusinessCode,
    name: Schema.String,
    legalName: Schema.String,
    country: Schema.String,
    status: MerchantStatus,
    createdAt: PayloadTime
  }),
  "merchant.status_changed": Schema.Struct({
    merchantId: MerchantId,
    from: Schema.optionalKey(MerchantStatus),
    to: MerchantStatus,
    actor: Schema.String,
    reason: Schema.optionalKey(Schema.String),
    changedAt: PayloadTime
  }),
  /** A refund was stored as `PENDING`. A refund that completes immediately has no such event. */
  "refund.pending": Schema.Struct({
    merchantId: MerchantId,
    refundId: RefundId,
    transactionId: PaymentId,
    reference: Schema.optionalKey(Schema.String),
    amount: PayloadAmount,
    currency: Schema.String,
    status: Schema.Literal("PENDING"),
    serviceId: Schema.optionalKey(ConsumerId),
    createdAt: PayloadTime
  }),
  /**
   * A person reported that a merchant's data request is not meant for them. The link may have reached the wrong person.
   */
  "consent.disowned": Schema.Struct({
    merchantId: MerchantId,
    dataRequestId: DataRequestId,
    serviceId: ConsumerId,
    disownedAt: PayloadTime
  }),
  /** A person asked the platform for a copy, a correction or the erasure of their data. */
  "person.rights_requested": Schema.Struct({
    requestId: Schema.String,
    serviceId: ConsumerId,
    userId: UserId,
    right: PersonRight,
    requestedAt: PayloadTime,
    /** Deadline for the platform's response. */
    dueAt: PayloadTime
  })
} as const

type Payloads = typeof platformPayloads

export const PlatformTopic = Schema.Literals(Struct.keys(platformPayloads))
export type PlatformTopic = typeof PlatformTopic.Type

/** A committed fact sent only to the platform. */
export const PlatformEvent = Schema.Struct({
  id: EventId,
  /** Absent if the event concerns no merchant. */
  merchantId: Schema.optionalKey(MerchantId),
  environment: Environment,
  topic: PlatformTopic,
  body: Schema.String,
  occurredAt: Schema.DateTimeUtc,
  /** Distinguishes a platform event from a merchant's event, which lacks this key. */
  isForPlatform: Schema.Literal(true)
})
export type PlatformEvent = typeof PlatformEvent.Type

/** An event that a commit may store, either for a merchant's endpoints or for the platform alone. */
export type OutboxEvent = DomainEvent | PlatformEvent

/** Builds a platform event and serialises its payload. Keys with an undefined value are omitted. */
export const make = <T extends PlatformTopic>({
  merchantId,
  payload,
  ...event
}: {
  readonly id: EventId
  readonly merchantId: MerchantId | undefined
  readonly environment: Environment
  readonly topic: T
  readonly occurredAt: DateTime.Utc
  readonly payload: { readonly [K in keyof Payloads[T]["Type"]]: unknown }
}): PlatformEvent => ({
  ...event,
  ...(merchantId === undefined ? {} : { merchantId }),
  body: payloadText(payload),
  isForPlatform: true
})
