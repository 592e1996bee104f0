import { isCalendarDay } from "@surety/core/input/isCalendarTime"
import { DateTime, Option } from "effect"
import { type Html, html } from "../Html.js"

/** Returns the city of an IANA zone, such as `Lagos` for `Africa/Lagos`. */
export const cityOf = (timeZone: string): string => (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ")

export const shownIn =
  (format: Intl.DateTimeFormat) =>
  (at: DateTime.Utc): Html =>
    html`<time datetime="${DateTime.formatIso(at)}">${format.format(DateTime.toEpochMillis(at))}</time>`

/** Creates functions that show times in one zone in English, or return the zone's name or a day's bounds. */
export const make = (timeZone: string) => {
  const formatOf = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat("en-GB", { ...options, timeZone })
  const clock = formatOf({ hour: "2-digit", minute: "2-digit", second: "2-digit" })
  const short = formatOf({ hour: "2-digit", minute: "2-digit" })
  const precise = formatOf({ hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 })
  const day = formatOf({ day: "numeric", month: "short", year: "numeric" })
  const longDay = formatOf({ weekday: "long", day: "numeric", month: "long" })
  const moment = formatOf({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" })
  const zone = formatOf({ timeZoneName: "short" })
  const preciseDay = formatOf({
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3
  })
  const dayOf = (at: DateTime.Utc): string => day.format(DateTime.toEpochMillis(at))
  const isSameDay = (one: DateTime.Utc, other: DateTime.Utc): boolean => dayOf(one) === dayOf(other)

  return {
    /** `14:02:11` */
    clock: shownIn(clock),
    /** Time of a timeline entry: `14:02:11.204`, with the day unless the previous entry is from the same day. */
    inTimeline: (at: DateTime.Utc, before: DateTime.Utc | undefined): Html =>
      shownIn(before !== undefined && isSameDay(at, before) ? precise : preciseDay)(at),
    /** `22 Nov 2026` */
    day: shownIn(day),
    /** `22 Nov 2026, 14:02` */
    moment: shownIn(moment),
    /** `Sunday 22 November` */
    longDay: shownIn(longDay),
    /** Time of a record in a list: `14:02` if today, otherwise with the day. */
    inList: (at: DateTime.Utc, now: DateTime.Utc): Html => shownIn(isSameDay(at, now) ? short : moment)(at),
    /** Returns when a day in ISO form (`2026-11-22`) begins and ends in the zone. Undefined if the day is not valid. */
    daysBounds: (written: string): { readonly begin: DateTime.Utc; readonly end: DateTime.Utc } | undefined => {
      if (!isCalendarDay(written)) return undefined
      const begin = DateTime.makeZoned(`${written}T00:00:00Z`, { timeZone, adjustForTimeZone: true })
      return Option.getOrUndefined(
        Option.map(begin, (at) => ({ begin: DateTime.toUtc(at), end: DateTime.toUtc(DateTime.add(at, { days: 1 })) }))
      )
    },
    /** Returns the zone's short English name, such as `CET`, or else its offset, such as `GMT+1`. */
    zoneName: (now: DateTime.Utc): string =>
      zone.formatToParts(DateTime.toEpochMillis(now)).find(({ type }) => type === "timeZoneName")?.value ?? timeZone
  }
}

export type ZonedTimes = ReturnType<typeof make>
