import { DateTime, Duration, Option } from "effect"
import { retryDelays } from "../../event/Delivery.js"
import type { DataRequest } from "../request/DataRequest.js"

const day = Duration.toMillis(Duration.hours(24))

/**
 * Due times of notification attempts, in milliseconds after the request's creation (contract 11). After the last entry,
 * attempts continue daily until one succeeds or the request is no longer pending.
 */
const dueMillis = retryDelays.map((_, index) =>
  retryDelays.slice(0, index + 1).reduce((sum, delay) => sum + Duration.toMillis(delay), 0)
)

/** How long before expiry to remind a person who has not decided. */
export const remindBefore = Duration.hours(24)

const ageMillis = ({ createdAt }: DataRequest, at: DateTime.Utc): number =>
  Math.max(0, DateTime.toEpochMillis(at) - DateTime.toEpochMillis(createdAt))

/** Returns the number of scheduled attempts due by `at`, at least 1. */
export const attemptAt = (request: DataRequest, at: DateTime.Utc): number => {
  const age = ageMillis(request, at)
  const last = dueMillis.at(-1) ?? 0
  return age < last + day
    ? Math.max(1, dueMillis.filter((due) => due <= age).length)
    : dueMillis.length + Math.floor((age - last) / day)
}

/** Returns when the first attempt after `at` is due. */
export const nextAttemptAfter = (request: DataRequest, at: DateTime.Utc): DateTime.Utc => {
  const age = ageMillis(request, at)
  const last = dueMillis.at(-1) ?? 0
  const due = dueMillis.find((one) => one > age) ?? last + day * (Math.floor((age - last) / day) + 1)
  return DateTime.add(request.createdAt, { milliseconds: due })
}

/** Returns when to remind the person. `None` if the request's lifetime is shorter than twice `remindBefore`. */
export const reminderOf = ({ createdAt, expiresAt }: DataRequest): Option.Option<DateTime.Utc> => {
  const remindAt = DateTime.subtractDuration(expiresAt, remindBefore)
  const isLongEnough = DateTime.isGreaterThanOrEqualTo(DateTime.subtractDuration(remindAt, remindBefore), createdAt)
  return isLongEnough ? Option.some(remindAt) : Option.none()
}

/** Returns true if a notification sent at `at` is a reminder, even if no earlier attempt succeeded. */
export const isReminderAt = (request: DataRequest, at: DateTime.Utc): boolean =>
  Option.exists(reminderOf(request), (remindAt) => DateTime.isGreaterThanOrEqualTo(at, remindAt))
