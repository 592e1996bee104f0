import type { Grant } from "@surety/core/consent/grant/Grant"
import type { DataRequest } from "@surety/core/consent/request/DataRequest"
import type { Verification } from "@surety/core/kyc/verification/Verification"
import { isOverdue, type RightsRequest } from "@surety/core/person/RightsRequest"
import { DateTime, Duration } from "effect"
import type { Tone } from "./parts.js"

type Shown = readonly [Tone, string]

/**
 * Returns the tone and label of a grant's status. Apply `grantAsOf` first: an expired grant still stored as `ACTIVE`
 * would show as in force.
 */
export const grantState = ({ status }: Pick<Grant, "status">): Shown => {
  const words: Readonly<Record<Grant["status"], Shown>> = {
    ACTIVE: ["ok", "In force"],
    REVOKED: ["off", "Taken back"],
    EXPIRED: ["off", "Over"]
  }
  return words[status]
}

export const requestState = ({ denialReason, status }: Pick<DataRequest, "status" | "denialReason">): Shown => {
  const words: Readonly<Record<DataRequest["status"], Shown>> = {
    PENDING: ["wait", "Waits"],
    APPROVED: ["ok", "Approved"],
    DENIED: denialReason === "NOT_ME" ? ["bad", "“Not me”"] : ["off", "Denied"],
    EXPIRED: ["off", "Over"],
    CANCELLED: ["off", "Withdrawn"]
  }
  return words[status]
}

export const verificationState = ({ status }: Pick<Verification, "status">): Shown => {
  const words: Readonly<Record<Verification["status"], Shown>> = {
    PENDING: ["wait", "Waits for the provider"],
    REQUIRES_ACTION: ["wait", "Waits for the person"],
    VERIFIED: ["ok", "Verified"],
    FAILED: ["bad", "Failed"],
    ERROR: ["warn", "No result"]
  }
  return words[status]
}

/**
 * Returns the tone and label of a rights request's state. For an open request that is not late, the words state the
 * days left.
 */
export const rightsState = (request: RightsRequest, now: DateTime.Utc): Shown => {
  if (request.status === "DONE") return ["ok", "Done"]
  if (request.status === "REFUSED") return ["off", "Refused"]
  if (isOverdue(request, now)) return ["bad", "Late"]
  const days = Math.floor(Duration.toDays(DateTime.distance(now, request.dueAt)))
  return [days < 7 ? "warn" : "wait", `${days} days left`]
}
