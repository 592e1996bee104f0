import { type DateTime, Duration, Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { RightsRequestId, UserId } from "../Ids.js"

/** What a person requests: a copy of their details, a correction, or erasure (NDPA 2023 ss. 34 to 38). */
export const RightsRequestKind = Schema.Literals(["EXPORT", "RECTIFY", "ERASE"])
export type RightsRequestKind = typeof RightsRequestKind.Type

/**
 * `OPEN` → `DONE` | `REFUSED`. Erasing the person closes their open requests: `ERASE` as `DONE`, others as `REFUSED`.
 */
export const RightsRequestStatus = Schema.Literals(["OPEN", "DONE", "REFUSED"])
export type RightsRequestStatus = typeof RightsRequestStatus.Type

export const RightsRequestEnd = Schema.Literals(["DONE", "REFUSED"])
export type RightsRequestEnd = typeof RightsRequestEnd.Type

/** Maximum length of a person's note, in characters. */
export const longestNote = 500

/**
 * A request by a person to exercise a right, made on the person's page or recorded by the operator or the host. A
 * person has at most one open request of each kind.
 */
export const RightsRequest = Schema.Struct({
  id: RightsRequestId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  kind: RightsRequestKind,
  /** The person's own words. Removed by an erasure. */
  note: Schema.optionalKey(Schema.Redacted(Schema.String)),
  status: RightsRequestStatus,
  askedAt: Schema.DateTimeUtc,
  /** Deadline for the host's response. */
  dueAt: Schema.DateTimeUtc,
  closedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /**
   * Name of the actor who closed the request. Must contain no personal data. Absent while the request is open, and if
   * an erasure closed it.
   */
  closedBy: Schema.optionalKey(Schema.String)
})
export type RightsRequest = typeof RightsRequest.Type

/** Time that GAID 2025 gives a controller to respond. */
export const timeToAnswer = Duration.days(30)

export const isOverdue = ({ dueAt, status }: RightsRequest, at: DateTime.Utc): boolean =>
  status === "OPEN" && dueAt.epochMilliseconds <= at.epochMilliseconds
