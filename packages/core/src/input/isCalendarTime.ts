import { DateTime, Option } from "effect"

/**
 * Returns true if a local time, `YYYY-MM-DDThh:mm:ss`, exists. Parsing alone does not show this: `Date` reads
 * 30 February as a day in March, and hour 24 as the next day.
 *
 * @example
 * isCalendarTime("2028-02-29T00:00:00") // true
 * isCalendarTime("2027-02-29T00:00:00") // false
 */
export const isCalendarTime = (local: string): boolean =>
  Option.exists(DateTime.make(`${local}Z`), (at) => DateTime.formatIso(at).slice(0, -".000Z".length) === local)

/** Returns true if the string is an existing date, `YYYY-MM-DD`. */
export const isCalendarDay = (day: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/u.test(day) && isCalendarTime(`${day}T00:00:00`)
