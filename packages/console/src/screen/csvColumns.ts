import type { AskingBlock } from "@surety/core/consent/asking/AskingBlock"
import type { Grant } from "@surety/core/consent/grant/Grant"
import type { IdentityRead } from "@surety/core/consent/read/IdentityRead"
import type { Receipt } from "@surety/core/consent/receipt/Receipt"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { Delivery, DeliveryAttempt } from "@surety/core/event/Delivery"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { format } from "@surety/core/Money"
import type { ApiKey } from "@surety/core/merchant/ApiKey"
import type { MerchantStatusChange } from "@surety/core/merchant/Merchant"
import type { OperatorSession } from "@surety/core/operator/session/OperatorSession"
import type { Payment } from "@surety/core/payment/Payment"
import type { RightsRequest } from "@surety/core/person/RightsRequest"
import type { Refund } from "@surety/core/refund/Refund"
import { websiteHost } from "@surety/page-kit/shownText"
import { type CsvColumn, csvTime } from "./csv.js"

/*
 * What files say of each record: identifiers, states and times. No names, addresses or numbers of people, no secrets, and
 * no responses of receivers, which may have any of them.
 */

export const paymentColumns: ReadonlyArray<CsvColumn<Payment>> = [
  ["transaction_id", ({ id }) => id],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["reference", ({ reference }) => reference],
  ["service_id", ({ serviceId }) => serviceId],
  ["method", ({ method }) => method],
  ["status", ({ status }) => status],
  ["currency", ({ amount }) => amount.currency],
  ["amount", ({ amount }) => format(amount)],
  ["refunded", ({ amount: { currency }, refundedMinor }) => format({ currency, minor: refundedMinor })],
  ["created_at", ({ createdAt }) => csvTime(createdAt)],
  ["settled_at", ({ settledAt }) => csvTime(settledAt)]
]

export const refundColumns: ReadonlyArray<CsvColumn<Refund>> = [
  ["refund_id", ({ id }) => id],
  ["transaction_id", ({ paymentId }) => paymentId],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["reference", ({ reference }) => reference],
  ["merchant_reference", ({ merchantReference }) => merchantReference],
  ["service_id", ({ serviceId }) => serviceId],
  ["status", ({ status }) => status],
  ["currency", ({ amount }) => amount.currency],
  ["amount", ({ amount }) => format(amount)],
  ["reason", ({ reason }) => reason],
  ["created_at", ({ createdAt }) => csvTime(createdAt)],
  ["completed_at", ({ completedAt }) => csvTime(completedAt)]
]

export const requestColumns: ReadonlyArray<CsvColumn<DataRequest>> = [
  ["id", ({ id }) => id],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["service_id", ({ serviceId }) => serviceId],
  ["fields", ({ requestedFields }) => requestedFields.join(" ")],
  ["status", ({ status }) => status],
  ["denial_reason", ({ denialReason }) => denialReason],
  ["created_at", ({ createdAt }) => csvTime(createdAt)],
  ["decided_at", ({ decidedAt }) => csvTime(decidedAt)]
]

export const grantColumns: ReadonlyArray<CsvColumn<Grant>> = [
  ["id", ({ id }) => id],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["service_id", ({ serviceId }) => serviceId],
  ["fields", ({ fields }) => fields.join(" ")],
  ["status", ({ status }) => status],
  ["granted_at", ({ grantedAt }) => csvTime(grantedAt)],
  ["expires_at", ({ expiresAt }) => csvTime(expiresAt)],
  ["revoked_at", ({ revokedAt }) => csvTime(revokedAt)]
]

export const blockColumns: ReadonlyArray<CsvColumn<AskingBlock>> = [
  ["merchant_id", ({ merchantId }) => merchantId],
  ["service_id", ({ serviceId }) => serviceId],
  ["reason", ({ reason }) => reason],
  ["blocked_at", ({ blockedAt }) => csvTime(blockedAt)]
]

export const readColumns: ReadonlyArray<CsvColumn<IdentityRead>> = [
  ["id", ({ id }) => id],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["fields", ({ fields }) => fields.join(" ")],
  ["read_at", ({ readAt }) => csvTime(readAt)]
]

export const receiptColumns: ReadonlyArray<CsvColumn<Receipt>> = [
  ["id", ({ id }) => id],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["sequence", ({ sequence }) => sequence],
  ["hash", ({ hash }) => hash],
  ["previous_hash", ({ previousHash }) => previousHash]
]

export const verificationColumns: ReadonlyArray<CsvColumn<Verification>> = [
  ["reference", ({ id }) => id],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["service_id", ({ serviceId }) => serviceId],
  ["kind", ({ kind }) => kind],
  ["status", ({ status }) => status],
  ["failure_reason", ({ failureReason }) => failureReason],
  ["provider", ({ provider }) => provider],
  ["created_at", ({ createdAt }) => csvTime(createdAt)],
  ["completed_at", ({ completedAt }) => csvTime(completedAt)]
]

export const rightsColumns: ReadonlyArray<CsvColumn<RightsRequest>> = [
  ["id", ({ id }) => id],
  ["service_id", ({ serviceId }) => serviceId],
  ["kind", ({ kind }) => kind],
  ["status", ({ status }) => status],
  ["asked_at", ({ askedAt }) => csvTime(askedAt)],
  ["due_at", ({ dueAt }) => csvTime(dueAt)],
  ["closed_at", ({ closedAt }) => csvTime(closedAt)],
  ["closed_by", ({ closedBy }) => closedBy]
]

export const keyColumns: ReadonlyArray<CsvColumn<ApiKey>> = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["last4", ({ last4 }) => last4],
  ["scopes", ({ scopes }) => scopes?.join(" ") ?? "everything"],
  ["created_at", ({ createdAt }) => csvTime(createdAt)],
  ["last_used_at", ({ lastUsedAt }) => csvTime(lastUsedAt)],
  ["expires_at", ({ expiresAt }) => csvTime(expiresAt)],
  ["revoked_at", ({ revokedAt }) => csvTime(revokedAt)]
]

/** Without paths and queries, which may be secret. */
export const endpointColumns: ReadonlyArray<CsvColumn<WebhookEndpoint>> = [
  ["id", ({ id }) => id],
  ["host", ({ url }) => websiteHost(url)],
  ["status", ({ status }) => status],
  ["topics", ({ topics }) => topics.join(" ")],
  ["failing_since", ({ failingSince }) => csvTime(failingSince)],
  ["disabled_at", ({ disabledAt }) => csvTime(disabledAt)]
]

export const statusColumns: ReadonlyArray<CsvColumn<MerchantStatusChange>> = [
  ["at", ({ at }) => csvTime(at)],
  ["to", ({ to }) => to],
  ["actor", ({ actor }) => actor],
  ["reason", ({ reason }) => reason]
]

export const deliveryColumns: ReadonlyArray<CsvColumn<Delivery>> = [
  ["event_id", ({ eventId }) => eventId],
  ["endpoint_id", ({ endpointId }) => endpointId],
  ["merchant_id", ({ merchantId }) => merchantId],
  ["status", ({ status }) => status],
  ["attempts", ({ attempts }) => attempts],
  ["next_attempt_at", ({ nextAttemptAt }) => csvTime(nextAttemptAt)],
  ["created_at", ({ createdAt }) => csvTime(createdAt)]
]

export const attemptColumns: ReadonlyArray<CsvColumn<DeliveryAttempt>> = [
  ["delivery_id", ({ deliveryId }) => deliveryId],
  ["attempt", ({ number }) => number],
  ["started_at", ({ startedAt }) => csvTime(startedAt)],
  ["duration_millis", ({ durationMillis }) => durationMillis],
  ["response_status", ({ responseStatus }) => responseStatus],
  ["error", ({ error }) => error]
]

export const sessionColumns: ReadonlyArray<CsvColumn<OperatorSession>> = [
  ["id", ({ id }) => id],
  ["operator", ({ operator }) => operator],
  ["roles", ({ roles }) => roles.join(" ")],
  ["signed_in_by", ({ signedInBy }) => signedInBy],
  ["network", ({ address }) => address],
  ["created_at", ({ createdAt }) => csvTime(createdAt)],
  ["last_used_at", ({ lastUsedAt }) => csvTime(lastUsedAt)]
]
