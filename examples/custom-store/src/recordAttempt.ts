import type { Delivery, DeliveryAttempt } from "@surety/core/event/Delivery"
import type { AfterAttempt, AttemptRecorded, DueDelivery } from "@surety/core/event/DeliveryQueue"
import type { WebhookEndpoint } from "@surety/core/event/WebhookEndpoint"
import { DateTime, Duration } from "effect"
import type { Sql } from "./Database.ts"
import { deliveries, endpoints } from "./outbox.ts"
import { attempts } from "./SqliteEventLog.ts"
import { integer } from "./StoredRecord.ts"

/** The delivery that is still with the holder of `due`. */
export const heldBy = (sql: Sql, { delivery: { id }, fence }: DueDelivery): Delivery | undefined =>
  deliveries.of(sql.get`
    select record from delivery
    where id = ${id} and status = 'PENDING' and fence = ${fence} and leased_until is not null`)

/** What follows, on the endpoint as it is by now. */
const asOfNow = ({ failingSince }: WebhookEndpoint, after: AfterAttempt): AfterAttempt => {
  if (after._tag !== "DisableEndpoint" || after.onlyIf === undefined) return after
  const isStill = failingSince !== undefined && DateTime.Equivalence(failingSince, after.onlyIf.failingSince)
  return isStill ? after : after.onlyIf.otherwise
}

const moved = (stored: Delivery, after: AfterAttempt): Delivery => {
  const { nextAttemptAt: _, ...rest } = stored
  const delivery = { ...rest, attempts: stored.attempts + 1 }
  if (after._tag === "Delivered") return { ...delivery, status: "DELIVERED" }
  return after._tag === "Retry" ? { ...delivery, nextAttemptAt: after.at } : { ...delivery, status: "FAILED" }
}

const endOf = ({ durationMillis, startedAt }: DeliveryAttempt): DateTime.Utc =>
  DateTime.add(startedAt, { milliseconds: durationMillis })

const noted = (stored: WebhookEndpoint, attempt: DeliveryAttempt, after: AfterAttempt): WebhookEndpoint => {
  const { failingSince, ...well } = stored
  if (after._tag === "Delivered") return well
  const failing = { ...well, failingSince: failingSince ?? attempt.startedAt }
  if (after._tag !== "DisableEndpoint") return failing
  const at = endOf(attempt)
  const disabledAt = stored.disabledAt ?? at
  return { ...failing, status: "DISABLED", disabledReason: after.reason, disabledAt, updatedAt: at }
}

/** Keeps how the endpoint stands; tells of the days that it has been failing where these are more than was known. */
const note = (sql: Sql, endpoint: WebhookEndpoint, attempt: DeliveryAttempt): AttemptRecorded["failing"] => {
  const { failingSince: since, id } = endpoint
  const days = since === undefined ? 0 : Math.floor(Duration.toDays(DateTime.distance(since, endOf(attempt))))
  const known = Number(integer(sql.get`select failing_days from webhook_endpoint where id = ${id}`?.failing_days))
  const failingDays = since === undefined ? 0 : Math.max(days, known)
  sql.run`
    update webhook_endpoint set record = ${endpoints.text(endpoint)}, failing_days = ${failingDays} where id = ${id}`
  return since !== undefined && days > known ? { since, days } : undefined
}

/** Keeps the attempt, moves the delivery on, and notes on the endpoint how it went. */
export const recordAttempt = (
  sql: Sql,
  due: DueDelivery,
  attempt: DeliveryAttempt,
  planned: AfterAttempt
): AttemptRecorded => {
  const stored = heldBy(sql, due)
  if (stored === undefined) return { isOurs: false, disabled: false, failing: undefined }
  const before = endpoints.of(sql.get`select record from webhook_endpoint where id = ${stored.endpointId}`)
  const after = before === undefined ? planned : asOfNow(before, planned)
  const record = deliveries.text(moved(stored, after))
  sql.run`update delivery set record = ${record}, leased_until = null where id = ${stored.id}`
  sql.run`insert into delivery_attempt (record) values (${attempts.text(attempt)})`
  if (before === undefined) return { isOurs: true, disabled: false, failing: undefined }
  const endpoint = noted(before, attempt, after)
  const disabled = before.status === "ENABLED" && endpoint.status === "DISABLED"
  return { isOurs: true, disabled, failing: note(sql, endpoint, attempt) }
}
