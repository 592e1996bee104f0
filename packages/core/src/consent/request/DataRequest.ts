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

/** Why a person denied a request. `NOT_ME`: the request is not for them, or they do not know the merchant. */
export const DenialReason = Schema.Literals(["DECLINED", "NOT_ME"])
export type DenialReason = typeof DenialReason.Type

/** A merchant's request for a person's consent to read `requestedFields`. */
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
  /** Requested duration of the grant. Default: the policy's `grantLifetime`. */
  duration: Schema.optionalKey(GrantDuration),
  /**
   * The url to which the consent page leads the person after a decision other than `NOT_ME`, with `state` added. When
   * stored, it was at or below one of the merchant's allowed return urls.
   */
  returnUrl: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.String),
  status: DataRequestStatus,
  /** The approved subset of the requested fields. */
  approvedFields: Schema.optionalKey(Schema.Array(IdentityField)),
  /**
   * The grant that the approval created. Absent if the request was not approved, or existing grants covered all fields.
   */
  grantId: Schema.optionalKey(GrantId),
  denialReason: Schema.optionalKey(DenialReason),
  decidedBy: Schema.optionalKey(ConsentActor),
  createdAt: Schema.DateTimeUtc,
  /** Planned expiry. Unchanged if the request is decided or cancelled earlier. */
  expiresAt: Schema.DateTimeUtc,
  /** When the request was approved, denied or cancelled. */
  decidedAt: Schema.optionalKey(Schema.DateTimeUtc)
})
export type DataRequest = typeof DataRequest.Type

/** Returns true if the request awaits a decision at `at`. */
export const isPending = (request: DataRequest, at: DateTime.Utc): boolean =>
  request.status === "PENDING" && DateTime.isLessThan(at, request.expiresAt)

/**
 * Returns the request as of `at`. A pending request past its expiry is `EXPIRED`, even if the expiry is not recorded
 * yet.
 */
export const dataRequestAsOf = (request: DataRequest, at: DateTime.Utc): DataRequest =>
  request.status === "PENDING" && !isPending(request, at) ? { ...request, status: "EXPIRED" } : request

/**
 * Returns true if the request was approved, or denied for a reason other than `NOT_ME`. Only such a decision can
 * create a management link.
 */
export const leadsOn = ({ denialReason, status }: DataRequest): boolean =>
  status === "APPROVED" || (status === "DENIED" && denialReason !== "NOT_ME")

/** Returns false only if no one was asked: existing grants covered the request, so it was approved immediately. */
export const wasAsked = ({ decidedBy, status }: DataRequest): boolean =>
  !(status === "APPROVED" && decidedBy === undefined)

/**
 * Counter of data requests created and ended, by `environment` and `outcome`. The outcome is `asked`, `covered`
 * (approved immediately by existing grants), `approved`, `denied`, `cancelled` or `expired`.
 */
export const countedRequests = Metric.counter("consent_requests_total", {
  description: "Data requests created and ended, by environment and outcome.",
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
