import { DateTime, Schema } from "effect"
import type { Grant } from "../consent/grant/Grant.js"
import type { DataRequest } from "../consent/request/DataRequest.js"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { IdentityField } from "../consumer/IdentityField.js"
import { DataRequestId, EndpointId, GrantId, MerchantId, PaymentId, RefundId, UserId, VerificationId } from "../Ids.js"
import {
  Checks,
  KycFailureReason,
  ProviderReference,
  type Verification,
  VerificationKind
} from "../kyc/verification/Verification.js"
import { toNumber } from "../Money.js"
import type { Refund } from "../refund/Refund.js"
import { PayloadAmount, PayloadTime, payloadText } from "./EventPayload.js"

// Payloads of the opt-in topics. An endpoint subscribes to these only if it names them (contract 11).

const endedGrant = {
  merchantId: MerchantId,
  serviceId: ConsumerId,
  grantId: GrantId,
  fields: Schema.Array(IdentityField),
  /** When the grant ended. */
  at: PayloadTime
}

/**
 * The payload of `merchant.identity.consent_revoked`. Its `grantStatus` proves the topic, since the signature does not
 * cover the topic's header.
 */
export const ConsentRevoked = Schema.Struct({ ...endedGrant, grantStatus: Schema.Literal("REVOKED") })
export type ConsentRevoked = typeof ConsentRevoked.Type

/** The payload of `merchant.identity.consent_expired`. */
export const ConsentExpired = Schema.Struct({ ...endedGrant, grantStatus: Schema.Literal("EXPIRED") })
export type ConsentExpired = typeof ConsentExpired.Type

/** The payload of `merchant.identity.request.expired`. */
export const DataRequestExpired = Schema.Struct({
  merchantId: MerchantId,
  dataRequestId: DataRequestId,
  serviceId: ConsumerId,
  requestedFields: Schema.Array(IdentityField),
  status: Schema.Literal("EXPIRED"),
  expiredAt: PayloadTime
})
export type DataRequestExpired = typeof DataRequestExpired.Type

/** The payload of `merchant.identity.data_changed`. It names fields but never contains their values. */
export const DataChanged = Schema.Struct({
  merchantId: MerchantId,
  serviceId: ConsumerId,
  /** The changed fields that the merchant may read. */
  fields: Schema.Array(IdentityField),
  changedAt: PayloadTime
})
export type DataChanged = typeof DataChanged.Type

/**
 * The payload of `kyc.verification.completed`: the verification as `GET /v1/kyc/verifications/{reference}` returns it.
 */
export const VerificationCompleted = Schema.Struct({
  reference: VerificationId,
  providerReference: Schema.optionalKey(ProviderReference),
  status: Schema.Literals(["VERIFIED", "FAILED", "ERROR"]),
  kind: VerificationKind,
  serviceId: ConsumerId,
  userId: UserId,
  tier: Schema.optionalKey(Schema.String),
  checks: Checks,
  failureReason: Schema.optionalKey(KycFailureReason),
  provider: Schema.optionalKey(Schema.String),
  createdAt: PayloadTime,
  completedAt: PayloadTime
})
export type VerificationCompleted = typeof VerificationCompleted.Type

/**
 * The payload of `refund.failed`. It has `failureReason` and `failedAt` instead of the `completedAt` of
 * `refund.completed`.
 */
export const RefundFailed = Schema.Struct({
  merchantId: MerchantId,
  refundId: RefundId,
  transactionId: PaymentId,
  reference: Schema.optionalKey(Schema.String),
  amount: PayloadAmount,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  status: Schema.Literal("FAILED"),
  serviceId: Schema.optionalKey(ConsumerId),
  merchantReference: Schema.optionalKey(Schema.String),
  /** A code instead of the wallet's own reason, which may name the person. */
  failureReason: Schema.Literal("wallet_declined"),
  failedAt: PayloadTime
})
export type RefundFailed = typeof RefundFailed.Type

/** The payload of `endpoint.disabled`. It omits the url, which may contain another receiver's secret. */
export const EndpointDisabled = Schema.Struct({
  merchantId: MerchantId,
  endpointId: EndpointId,
  /** Tells the merchant why the endpoint was disabled. Absent if the merchant or the operator disabled it. */
  reason: Schema.optionalKey(Schema.String),
  disabledAt: PayloadTime
})
export type EndpointDisabled = typeof EndpointDisabled.Type

export const consentEndedText = (grant: Grant, at: DateTime.Utc): string =>
  payloadText<ConsentRevoked | ConsentExpired>({
    merchantId: grant.merchantId,
    serviceId: grant.serviceId,
    grantId: grant.id,
    fields: grant.fields,
    at: DateTime.formatIso(at),
    grantStatus: grant.status
  })

export const dataRequestExpiredText = (request: DataRequest): string =>
  payloadText<DataRequestExpired>({
    merchantId: request.merchantId,
    dataRequestId: request.id,
    serviceId: request.serviceId,
    requestedFields: request.requestedFields,
    status: "EXPIRED",
    expiredAt: DateTime.formatIso(request.expiresAt)
  })

export const verificationCompletedText = (verification: Verification, completedAt: DateTime.Utc): string => {
  const { date_of_birth, first_name, last_name, selfie } = verification.checks
  return payloadText<VerificationCompleted>({
    reference: verification.id,
    providerReference: verification.providerReference,
    status: verification.status,
    kind: verification.kind,
    serviceId: verification.serviceId,
    userId: verification.userId,
    tier: verification.tier,
    checks: { date_of_birth, first_name, last_name, selfie },
    failureReason: verification.failureReason,
    provider: verification.provider,
    createdAt: DateTime.formatIso(verification.createdAt),
    completedAt: DateTime.formatIso(completedAt)
  })
}

export const refundFailedText = (refund: Refund, failedAt: DateTime.Utc): string =>
  payloadText<RefundFailed>({
    merchantId: refund.merchantId,
    refundId: refund.id,
    transactionId: refund.paymentId,
    reference: refund.reference,
    amount: toNumber(refund.amount),
    currency: refund.amount.currency,
    reason: refund.reason,
    status: "FAILED",
    serviceId: refund.serviceId,
    merchantReference: refund.merchantReference,
    failureReason: "wallet_declined",
    failedAt: DateTime.formatIso(failedAt)
  })

export const endpointDisabledText = (
  { id, merchantId }: { readonly id: EndpointId; readonly merchantId: MerchantId },
  reason: string | undefined,
  disabledAt: DateTime.Utc
): string =>
  payloadText<EndpointDisabled>({ merchantId, endpointId: id, reason, disabledAt: DateTime.formatIso(disabledAt) })
