import { DateTime, type Effect, Metric, Schema } from "effect"
import { ConsumerId } from "../../consumer/ConsumerId.js"
import { IdentityField } from "../../consumer/IdentityField.js"
import { Environment } from "../../Environment.js"
import { DataRequestId, GrantId, MerchantId, UserId } from "../../Ids.js"
import { ConsentActor } from "../ConsentActor.js"
import { GrantDuration } from "../grant/GrantDuration.js"

/** `PENDING` → `APPROVED` | `DENIED` | `EXPIRED` | `CANCELLED` (contract 7). */
export const DataRequestStatus = Schema.Literals(["PENDING", "APPROVED", "DENIED", "EXPIRED", "CANCELLED"])
export type DataRequestStatus = typeof DataRequestStatus.Type

/** Why a person denied a request. `NOT_ME`: they do not know the merchant, a sign of fraud. */
export const DenialReason = Schema.Literals(["DECLINED", "NOT_ME"])
export type DenialReason = typeof DenialReason.Type

/** A merchant's request that a person let it read these fields. */
export const DataRequest = Schema.Struct({
  id: DataRequestId,
  merchantId: MerchantId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  /** Distinct, in the requested order. */
  requestedFields: Schema.Array(IdentityField),
  /** Shown to the person, and copied to the grant. */
  purpose: Schema.String,
  /** How long the merchant asks for. Absent: as long as the policy's grants last. */
  duration: Schema.optionalKey(GrantDuration),
  /** Where the page leads the person back to: an allowed address of the merchant's, with its `state`. */
  returnUrl: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  status: DataRequestStatus,
  /** The approved ones of the requested fields. */
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  /** The grant that the approval made. None if earlier grants covered all fields. */
  grantId: Schema.optionalKey(GrantId),
  denialReason: Schema.optionalKey(DenialReason),
  decidedBy: Schema.optionalKey(ConsentActor),
  createdAt: Schema.DateTimeUtc,
  /** From this moment on a pending request has expired. */
  expiresAt: Schema.DateTimeUtc,
  /** When it was approved, denied or cancelled. */
  decidedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type DataRequest = typeof DataRequest.Type

/** Whether the request is waiting for a decision at that moment. */
export const isPending = (request: DataRequest, at: DateTime.Utc): boolean =>
  request.status === "PENDING" && DateTime.isLessThan(at, request.expiresAt)

/** The request as of that moment, whether or not its expiry has been recorded yet. */
export const dataRequestAsOf = (request: DataRequest, at: DateTime.Utc): DataRequest =>
  request.status === "PENDING" && !isPending(request, at) ? { ...request, status: "EXPIRED" } : request

/** Whether the person has decided, and did not say that the request was meant for someone else. */
export const leadsOn = ({ denialReason, status }: DataRequest): boolean =>
  status === "APPROVED" || (status === "DENIED" && denialReason !== "NOT_ME")

/** Whether a person was asked. No one decided a request that grants covered at once. */
export const wasAsked = ({ decidedBy, status }: DataRequest): boolean =>
  !(status === "APPROVED" && decidedBy === undefined)

/** Requests by `environment` and `outcome`: `asked`, `covered` (by earlier grants), or how they ended. */
export const countedRequests = Metric.counter("consent_requests_total", {
  description: "Data requests, as they are made and as they end, by environment and outcome.",
  incremental: true
})

const outcomeOf = (request: DataRequest): string => {
  if (request.status === "PENDING") return "asked"
  return wasAsked(request) ? request.status.toLowerCase() : "covered"
}

/** Counts a request that was just created, decided, cancelled or expired. */
export const countRequest = (request: DataRequest): Effect.Effect<void> =>
  Metric.update(
    Metric.withAttributes(countedRequests, { environment: request.environment, outcome: outcomeOf(request) }),
    1
  )
