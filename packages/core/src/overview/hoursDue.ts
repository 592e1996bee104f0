import { DateTime, Duration } from "effect"

/** A count made at least this long after its hour's end is final: all rows are assumed to be committed by then. */
export const settledAfter = Duration.minutes(10)

/** Minimum time between two counts of the same hour. */
export const countAgainAfter = Duration.seconds(45)

export interface CountedHour {
  readonly hour: DateTime.Utc
  readonly countedAt: DateTime.Utc
}

export const hourOf = (at: DateTime.Utc): DateTime.Utc => DateTime.startOf(at, "hour")

/**
 * Returns true if an hour is due for counting at `now`: it was never counted, or its count is neither final nor recent.
 */
export const isHourDue = (hour: DateTime.Utc, countedAt: DateTime.Utc | undefined, now: DateTime.Utc): boolean => {
  if (countedAt === undefined) return true
  const settledAt = DateTime.addDuration(DateTime.add(hour, { hours: 1 }), settledAfter)
  if (DateTime.isGreaterThanOrEqualTo(countedAt, settledAt)) return false
  return DateTime.isLessThanOrEqualTo(DateTime.addDuration(countedAt, countAgainAfter), now)
}

/** Returns the hours due for counting, from the hour of `since` to the hour of `now`. Newest first, at most `limit`. */
export const hoursDue = (
  counted: ReadonlyArray<CountedHour>,
  { now, since }: { readonly since: DateTime.Utc; readonly now: DateTime.Utc },
  limit: number
): ReadonlyArray<DateTime.Utc> => {
  const times = new Map(counted.map(({ countedAt, hour }) => [DateTime.toEpochMillis(hour), countedAt]))
  const due: Array<DateTime.Utc> = []
  const first = hourOf(since)
  for (
    let hour = hourOf(now);
    due.length < limit && DateTime.isGreaterThanOrEqualTo(hour, first);
    hour = DateTime.subtract(hour, { hours: 1 })
  ) {
    if (isHourDue(hour, times.get(DateTime.toEpochMillis(hour)), now)) due.push(hour)
  }
  return due
}
