import { defaultRetentionPolicy } from "@surety/core/retention/RetentionPolicy"
import type { RetentionKind } from "@surety/core/retention/RetentionStore"
import { Duration } from "effect"
import { setting, wholeNumber } from "./Setting.js"

/** Maximum retention in days, about a hundred years. */
const mostDays = 36_500

const days = (name: string, kind: RetentionKind, records: string) => {
  const time = defaultRetentionPolicy[kind]
  return setting(name, {
    meaning: `how many days ${records} are kept; 0: for good`,
    default: time === undefined ? 0 : Duration.toDays(time),
    read: wholeNumber(0, mostDays)
  })
}

/** Settings for the retention of each `RetentionKind`, in days (contract 17). 0 keeps the records indefinitely. */
export const retentionSettings = {
  retentionAnswers: days("RETENTION_ANSWERS", "answers", "merchants' responses to webhooks"),
  retentionReads: days("RETENTION_READS", "reads", "the records of who read people's details"),
  retentionDeliveries: days("RETENTION_DELIVERIES", "deliveries", "delivered webhooks and their attempts"),
  retentionCodes: days("RETENTION_CODES", "codes", "expired one-time codes and management links"),
  retentionRightsRequests: days("RETENTION_RIGHTS_REQUESTS", "rightsRequests", "closed rights requests")
}
