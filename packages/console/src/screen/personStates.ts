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
    ACTIVE: ["ok", "Active"],
    REVOKED: ["off", "Revoked"],
    EXPIRED: ["off", "Expired"]
  }
  return words[status]
}

export const requestState = ({ denialReason, status }: Pick<DataRequest, "status" | "denialReason">): Shown => {
  const words: Readonly<Record<DataRequest["status"], Shown>> = {
    PENDING: ["wait", "Pending"],
    APPROVED: ["ok", "Approved"],
    DENIED: denialReason === "NOT_ME" ? ["bad", "“Not me”"] : ["off", "Denied"],
    EXPIRED: ["off", "Expired"],
    CANCELLED: ["off", "Cancelled"]
  }
  return words[status]
}

export const verificationState = ({ status }: Pick<Verification, "status">): Shown => {
  const words: Readonly<Record<Verification["status"], Shown>> = {
    PENDING: ["wait", "Waiting for the provider"],
    REQUIRES_ACTION: ["wait", "Waiting for the person"],
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
