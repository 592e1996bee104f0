import { DateTime, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, GrantId, MerchantId, UserId } from "../../Ids.js"
import { ConsentActor } from "../ConsentActor.js"

/** `PENDING` → `APPROVED` | `DENIED` | `EXPIRED` | `CANCELLED` (contract 7). */
export const DataRequestStatus = Schema.Literals(["PENDING", "APPROVED", "DENIED", "EXPIRED", "CANCELLED"])
export type DataRequestStatus = typeof DataRequestStatus.Type

/** Why a person said no. `NOT_ME`: they do not know the merchant, which is a sign of fraud. */
export const DenialReason = Schema.Literals(["DECLINED", "NOT_ME"])
export type DenialReason = typeof DenialReason.Type

/** A merchant's question to a person: may these fields be read? */
export const DataRequest = Schema.Struct({
  id: DataRequestId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** Distinct, in the order in which they were asked for. */
  requestedFields: Schema.Array(IdentityField),
  /** Shown to the person, and kept with the grant. */
  purpose: Schema.String,
  status: DataRequestStatus,
  /** Of the requested fields, those that were approved. */
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  /** The grant that the approval made; none where earlier grants covered all that was asked for. */
  grantId: Schema.optionalKey(GrantId),
  denialReason: Schema.optionalKey(DenialReason),
  decidedBy: Schema.optionalKey(ConsentActor),
  createdAt: Schema.DateTimeUtc,
  /** From this moment on a request that is still pending has expired. */
  expiresAt: Schema.DateTimeUtc,
  /** When it was approved, denied or cancelled. */
  decidedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type DataRequest = typeof DataRequest.Type

/** Whether the request waits for a decision at that moment. */
export const isPending = (request: DataRequest, at: DateTime.Utc): boolean =>
  request.status === "PENDING" && DateTime.isLessThan(at, request.expiresAt)

/** The request as it is at that moment, whether or not its expiry has been recorded yet. */
export const asOf = (request: DataRequest, at: DateTime.Utc): DataRequest =>
  request.status === "PENDING" && !isPending(request, at) ? { ...request, status: "EXPIRED" } : request
