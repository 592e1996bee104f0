import { DateTime, Schema, SchemaTransformation } from "effect"
import type { Grant } from "../consent/grant/Grant.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { IdentityField } from "../consumer/IdentityField.js"
import { DataRequestId, GrantId, MerchantId, PaymentId, RefundId } from "../Ids.js"
import { toNumber } from "../Money.js"
import type { Payment } from "../payment/Payment.js"
import type { Refund } from "../refund/Refund.js"

/** A time, encoded as ISO 8601 in UTC with milliseconds. */
export const PayloadTime = Schema.String.annotate({ format: "date-time", description: "ISO 8601, UTC." }).pipe(
  Schema.decodeTo(Schema.DateTimeUtc, SchemaTransformation.dateTimeUtcFromString)
)

/** An amount in major units, such as naira. */
export const PayloadAmount = Schema.Finite.annotate({
  description: "In major units: 2500.5 is two thousand five hundred naira fifty kobo."
})

// The wire format of events. It belongs to core, because any interface or worker may commit events. The commit stores
// the serialised payload, which is signed and sent as stored. See docs/decisions/16-http-edge.md.

/** The payload of `transaction.settled` (contract 11). Keys without a value are omitted, never null. */
export const TransactionSettled = Schema.Struct({
  merchantId: MerchantId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  amount: PayloadAmount,
  currency: Schema.String,
  status: Schema.Literal("SETTLED"),
  serviceId: Schema.optionalKey(ConsumerId),
  settledAt: PayloadTime
})
export type TransactionSettled = typeof TransactionSettled.Type

/** The payload of `refund.completed`, with the keys of specification 2.5. */
export const RefundCompleted = Schema.Struct({
  merchantId: MerchantId,
  refundId: RefundId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  amount: PayloadAmount,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  status: Schema.Literal("COMPLETED"),
  serviceId: Schema.optionalKey(ConsumerId),
  completedAt: PayloadTime,
  merchantReference: Schema.optionalKey(Schema.String)
})
export type RefundCompleted = typeof RefundCompleted.Type

/**
 * The payload of `merchant.identity.consent_granted` (contract 11). `dataRequestId` is absent if the grant did not come
 * from a request.
 */
export const ConsentGranted = Schema.Struct({
  merchantId: MerchantId,
  serviceId: ConsumerId,
  grantId: GrantId,
  fields: Schema.Array(IdentityField),
  dataRequestId: Schema.optionalKey(DataRequestId),
  grantedAt: PayloadTime,
  expiresAt: PayloadTime
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
  decidedAt: PayloadTime
})
export type DataRequestApproved = typeof DataRequestApproved.Type

/** The payload of `merchant.identity.request.denied` (contract 11). */
export const DataRequestDenied = Schema.Struct({
  merchantId: MerchantId,
  dataRequestId: DataRequestId,
  serviceId: ConsumerId,
  requestedFields: Schema.Array(IdentityField),
  status: Schema.Literal("DENIED"),
  decidedAt: PayloadTime
})
export type DataRequestDenied = typeof DataRequestDenied.Type

/** Serialises a payload as JSON. Keys keep their order, and undefined values are omitted. */
export const payloadText = <A>(payload: { readonly [K in keyof A]: unknown }): string => JSON.stringify(payload)

/** Serialises a completed refund as the payload of `refund.completed`. */
export const refundCompletedText = (refund: Refund): string =>
  payloadText<RefundCompleted>({
    merchantId: refund.merchantId,
    refundId: refund.id,
    transactionId: refund.paymentId,
    reference: refund.reference,
    amount: toNumber(refund.amount),
    currency: refund.amount.currency,
    reason: refund.reason,
    status: refund.status,
    serviceId: refund.serviceId,
    completedAt: refund.completedAt === undefined ? undefined : DateTime.formatIso(refund.completedAt),
    merchantReference: refund.merchantReference
  })

export const transactionSettledText = (payment: Payment, settledAt: DateTime.Utc): string =>
  payloadText<TransactionSettled>({
    merchantId: payment.merchantId,
    transactionId: payment.id,
    reference: payment.reference,
    amount: toNumber(payment.amount),
    currency: payment.amount.currency,
    status: "SETTLED",
    serviceId: payment.serviceId,
    settledAt: DateTime.formatIso(settledAt)
  })

export const consentGrantedText = (grant: Grant): string =>
  payloadText<ConsentGranted>({
    merchantId: grant.merchantId,
    serviceId: grant.serviceId,
    grantId: grant.id,
    fields: grant.fields,
    dataRequestId: grant.dataRequestId,
    grantedAt: DateTime.formatIso(grant.grantedAt),
    expiresAt: DateTime.formatIso(grant.expiresAt)
  })

export const dataRequestApprovedText = (request: DataRequest, decidedAt: DateTime.Utc): string =>
  payloadText<DataRequestApproved>({
    merchantId: request.merchantId,
    dataRequestId: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    approvedFields: request.approvedFields,
    status: request.status,
    decidedAt: DateTime.formatIso(decidedAt)
  })

export const dataRequestDeniedText = (request: DataRequest, decidedAt: DateTime.Utc): string =>
  payloadText<DataRequestDenied>({
    merchantId: request.merchantId,
    dataRequestId: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: request.status,
    decidedAt: DateTime.formatIso(decidedAt)
  })
