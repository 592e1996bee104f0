import { type DateTime, Duration, Schema } from "effect"
import { ConsumerId } from "../consumer/ConsumerId.js"
import { Environment } from "../Environment.js"
import { RightsRequestId, UserId } from "../Ids.js"

/** What a person asks for: a copy of their details, a correction, or their deletion (NDPA 2023 ss. 34 to 38). */
export const RightsRequestKind = Schema.Literals(["EXPORT", "RECTIFY", "ERASE"])
export type RightsRequestKind = typeof RightsRequestKind.Type

/** `OPEN` → `DONE` | `REFUSED`. An erasure closes every open one: `ERASE` as `DONE`, others as `REFUSED`. */
export const RightsRequestStatus = Schema.Literals(["OPEN", "DONE", "REFUSED"])
export type RightsRequestStatus = typeof RightsRequestStatus.Type

/** How a request was closed. */
export const RightsRequestEnd = Schema.Literals(["DONE", "REFUSED"])
export type RightsRequestEnd = typeof RightsRequestEnd.Type

/** The longest note of a person, in characters. */
export const longestNote = 500

/** A right that a person has asked for on their page. A person has at most one open request of each kind. */
export const RightsRequest = Schema.Struct({
  id: RightsRequestId,
  environment: Environment,
  userId: UserId,
  serviceId: ConsumerId,
  kind: RightsRequestKind,
  /** What the person wrote. Removed by an erasure. */
  note: Schema.optionalKey(Schema.Redacted(Schema.String)),
  status: RightsRequestStatus,
  askedAt: Schema.DateTimeUtc,
  /** The deadline for the platform's answer. */
  dueAt: Schema.DateTimeUtc,
  closedAt: Schema.optionalKey(Schema.DateTimeUtc),
  /** The operator's name for who closed it. No personal value. */
  closedBy: Schema.optionalKey(Schema.String)
})
export type RightsRequest = typeof RightsRequest.Type

/** GAID 2025 gives a controller 30 days. */
export const timeToAnswer = Duration.days(30)

/** Whether the platform is late. */
export const isOverdue = ({ dueAt, status }: RightsRequest, at: DateTime.Utc): boolean =>
  status === "OPEN" && dueAt.epochMilliseconds <= at.epochMilliseconds
