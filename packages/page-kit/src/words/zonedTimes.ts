import { DateTime } from "effect"
import { type Html, html } from "../Html.js"

/** The city of an IANA zone, such as `Lagos` of `Africa/Lagos`. */
export const cityOf = (timeZone: string): string => (timeZone.split("/").at(-1) ?? timeZone).replaceAll("_", " ")

/** Shows a time in that format, with the exact one for machines. */
export const shownIn =
  (format: Intl.DateTimeFormat) =>
  (at: DateTime.Utc): Html =>
    html`<time datetime="${DateTime.formatIso(at)}">${format.format(DateTime.toEpochMillis(at))}</time>`
