import type { EventId } from "@surety/core/Ids"
import { madeAtMillis } from "@surety/core/Ids"
import { DateTime, Schema } from "effect"

/** A calendar month in UTC, such as `2026-03`. */
export const ArchiveMonth = Schema.String.check(
  Schema.isPattern(/^[0-9]{4}-(?:0[1-9]|1[0-2])$/u, { expected: "a month, such as 2026-03" })
)
export type ArchiveMonth = typeof ArchiveMonth.Type

const millisOf = (month: ArchiveMonth, monthsOn: number): number => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return Date.UTC(year, number - 1 + monthsOn, 1)
}

export const startOf = (month: ArchiveMonth): DateTime.Utc => DateTime.makeUnsafe(millisOf(month, 0))

/** Returns the first moment after the month. */
export const endOf = (month: ArchiveMonth): DateTime.Utc => DateTime.makeUnsafe(millisOf(month, 1))

/** Returns the month of a time, in UTC. */
export const monthOf = (at: DateTime.Utc): ArchiveMonth => DateTime.formatIso(at).slice(0, 7)

/** Returns the months from `first`'s month onwards that end at or before `before`, oldest first. */
export const monthsFrom = (first: DateTime.Utc, before: DateTime.Utc): ReadonlyArray<ArchiveMonth> => {
  const months: Array<ArchiveMonth> = []
  for (let month = monthOf(first); DateTime.isLessThanOrEqualTo(endOf(month), before); month = monthOf(endOf(month))) {
    months.push(month)
  }
  return months
}

/**
 * Maximum durations by which an event's id may be created before and after the event's time. An event's time and its id
 * come from one clock, except for expiries. An expiry's time is when it was due, but its id is created when a worker
 * finds it.
 */
export const idBefore = { minutes: 10 } as const
export const idAfter = { days: 1 } as const

/** Returns the time range in which the event with this id may have happened. */
export const momentsOf = (id: EventId): { readonly from: Date; readonly until: Date } => {
  const at = DateTime.makeUnsafe(madeAtMillis(id))
  return {
    from: DateTime.toDate(DateTime.subtractDuration(at, idAfter)),
    until: DateTime.toDate(DateTime.addDuration(at, idBefore))
  }
}
