import { DateTime, Duration, Option } from "effect"
import type { DataRequest } from "../request/DataRequest.js"

/**
 * How long after the attempt before each attempt to tell a person follows, counted from the request: contract 11's
 * delays. From then on there is one a day, until the request is decided or has expired.
 */
const delays: ReadonlyArray<Duration.Duration> = [
  Duration.zero,
  Duration.seconds(5),
  Duration.minutes(5),
  Duration.minutes(30),
  Duration.hours(2),
  Duration.hours(5),
  Duration.hours(10),
  Duration.hours(14),
  Duration.hours(20),
  Duration.hours(24)
]

const day = Duration.toMillis(Duration.hours(24))

/** When attempts are due, in milliseconds after the request. */
const dueMillis = delays.map((_, index) =>
  delays.slice(0, index + 1).reduce((sum, delay) => sum + Duration.toMillis(delay), 0)
)

/** How long before the expiry a person who was told, and has not decided, is reminded. */
export const remindBefore = Duration.hours(24)

/** Since when the request waits, in milliseconds. */
const ageMillis = ({ createdAt }: DataRequest, at: DateTime.Utc): number =>
  Math.max(0, DateTime.toEpochMillis(at) - DateTime.toEpochMillis(createdAt))

/** The how-manieth attempt one at that moment is, going by the schedule. Counts from 1. */
export const attemptAt = (request: DataRequest, at: DateTime.Utc): number => {
  const age = ageMillis(request, at)
  const last = dueMillis.at(-1) ?? 0
  return age < last + day
    ? Math.max(1, dueMillis.filter((due) => due <= age).length)
    : dueMillis.length + Math.floor((age - last) / day)
}

/** When an attempt that failed at that moment is made again. */
export const nextAttemptAfter = (request: DataRequest, at: DateTime.Utc): DateTime.Utc => {
  const age = ageMillis(request, at)
  const last = dueMillis.at(-1) ?? 0
  const due = dueMillis.find((one) => one > age) ?? last + day * (Math.floor((age - last) / day) + 1)
  return DateTime.add(request.createdAt, { milliseconds: due })
}

/** When the person is reminded; none where they have less than twice that time to decide. */
export const reminderOf = ({ createdAt, expiresAt }: DataRequest): Option.Option<DateTime.Utc> => {
  const remindAt = DateTime.subtractDuration(expiresAt, remindBefore)
  const isLongEnough = DateTime.isGreaterThanOrEqualTo(DateTime.subtractDuration(remindAt, remindBefore), createdAt)
  return isLongEnough ? Option.some(remindAt) : Option.none()
}

/** Whether a notice at that moment reminds, rather than tells for the first time. */
export const isReminderAt = (request: DataRequest, at: DateTime.Utc): boolean =>
  Option.exists(reminderOf(request), (remindAt) => DateTime.isGreaterThanOrEqualTo(at, remindAt))
