import { Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { IdentityField } from "../consumer/IdentityField.js"
import { Environment } from "../Environment.js"
import { DataRequestId, EndpointId, EventId, GrantId, MerchantId, PaymentId, RefundId } from "../Ids.js"

/** The five topics of specification 6.2. */
export const Topic = Schema.Literals([
  "transaction.settled",
  "refund.completed",
  "merchant.identity.consent_granted",
  "merchant.identity.request.approved",
  "merchant.identity.request.denied"
])
export type Topic = typeof Topic.Type

export const topics: ReadonlyArray<Topic> = Topic.literals

/** The payload of `transaction.settled` (contract 11). Absent values are left out. */
export const TransactionSettled = Schema.Struct({
  merchantId: MerchantId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  /** Major units. */
  amount: Schema.Finite,
  currency: Schema.String,
  status: Schema.Literal("SETTLED"),
  serviceId: Schema.optionalKey(ConsumerId),
  settledAt: Schema.DateTimeUtcFromString
})
export type TransactionSettled = typeof TransactionSettled.Type

/** The payload of `refund.completed`: the keys of specification 2.5. */
export const RefundCompleted = Schema.Struct({
  merchantId: MerchantId,
  refundId: RefundId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  /** Major units. */
  amount: Schema.Finite,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  status: Schema.Literal("COMPLETED"),
  serviceId: Schema.optionalKey(ConsumerId),
  completedAt: Schema.DateTimeUtcFromString,
  merchantReference: Schema.optionalKey(Schema.String)
})
export type RefundCompleted = typeof RefundCompleted.Type

/** The payload of `merchant.identity.consent_granted` (contract 11). A grant without a request names none. */
export const ConsentGranted = Schema.Struct({
  merchantId: MerchantId,
  serviceId: ConsumerId,
  grantId: GrantId,
  fields: Schema.Array(IdentityField),
  dataRequestId: Schema.optionalKey(DataRequestId),
  grantedAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString
})
export type ConsentGranted = typeof ConsentGranted.Type

/** The payload of `merchant.identity.request.approved` (contract 11). */
export const DataRequestApproved = Schema.Struct({
  merchantId: MerchantId,
  dataRequestId: DataRequestId,
  serviceId: ConsumerId,
  requestedFields: Schema.Array(IdentityField),
  approvedFields: Schema.Array(IdentityField),
  status: Schema.Literal("APPROVED"),
  decidedAt: Schema.DateTimeUtcFromString
})
export type DataRequestApproved = typeof DataRequestApproved.Type

/** The payload of `merchant.identity.request.denied` (contract 11). */
export const DataRequestDenied = Schema.Struct({
  merchantId: MerchantId,
  dataRequestId: DataRequestId,
  serviceId: ConsumerId,
  requestedFields: Schema.Array(IdentityField),
  status: Schema.Literal("DENIED"),
  decidedAt: Schema.DateTimeUtcFromString
})
export type DataRequestDenied = typeof DataRequestDenied.Type

/**
 * Something that happened and that the merchant's endpoints are told of.
 *
 * `body` is the payload as JSON text: made once, stored, and sent byte for byte in every attempt, since it is what is
 * signed. It stands in the same commit as what it tells.
 */
export const DomainEvent = Schema.Struct({
  id: EventId,
  merchantId: MerchantId,
  environment: Environment,
  topic: Topic,
  body: Schema.String,
  occurredAt: Schema.DateTimeUtc,
  /** Of a test event: the one endpoint that it is for. Nothing happened; it is sent there and told of nowhere else. */
  testFor: Schema.optionalKey(EndpointId),
  /** The trace of the request that caused it, as `Traceparent` says; absent where that was not traced. */
  traceparent: Schema.optionalKey(Schema.String)
})
export type DomainEvent = typeof DomainEvent.Type

/** A sample that a merchant asked for, for one endpoint (contract 11). */
export interface TestEvent extends DomainEvent {
  readonly testFor: EndpointId
}
