import { type Html, html } from "@surety/page-kit/Html"
import { filled, type MessageValues, pieces, pluralFormOf } from "@surety/page-kit/words/Message"
import { cityOf, shownIn } from "@surety/page-kit/words/ZonedTimes"
import { DateTime } from "effect"
import type { Catalog, MessageKey } from "./Catalog.js"

/** Texts of the pages in one language, and times in one time zone. */
export interface Words {
  readonly catalog: Catalog
  /** City of the time zone, for display. */
  readonly city: string
  /** Returns a message as markup. */
  readonly text: (key: MessageKey, values?: MessageValues) => Html
  /** Returns a message as plain text, for a title or attribute. Accepts no markup values. */
  readonly plain: (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string
  /** Returns a field's label. Without a label in the catalog, returns the name with spaces and a capital letter. */
  readonly field: (name: string) => Html
  /** Returns a field's value in words, or the value itself if no words are known for it. */
  readonly value: (field: string, value: string | boolean) => string
  readonly day: (at: DateTime.Utc) => Html
  /** Formats a day as plain text. */
  readonly dayText: (at: DateTime.Utc) => string
  /** Formats a time without its zone, for lists that state the zone once. */
  readonly clock: (at: DateTime.Utc) => Html
  /** Formats a time of day with its zone but no date, for times today or tomorrow. */
  readonly time: (at: DateTime.Utc) => Html
  /** Formats a date and time with its zone. */
  readonly moment: (at: DateTime.Utc) => Html
}

/**
 * Returns a country's name in the language, or in English if Intl lacks the language. Returns the code if Intl has no
 * name for it.
 */
const countryName = (language: string, code: string): string => {
  try {
    return new Intl.DisplayNames([language, "en"], { type: "region" }).of(code) ?? code
  } catch {
    return code
  }
}

const spaced = (name: string): string => {
  const text = name.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Builds the words of a catalog, with times in the given zone. */
export const make = (catalog: Catalog, timeZone: string): Words => {
  const { language, messages } = catalog
  const city = cityOf(timeZone)

  const text = (key: MessageKey, values: MessageValues = {}): Html =>
    html`${filled(pluralFormOf(language, messages[key], values.count), values)}`

  const plain = (key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string =>
    pieces(pluralFormOf(language, messages[key], values.count))
      .map((piece, index) => (index % 2 === 0 ? piece : String(values[piece] ?? `{${piece}}`)))
      .join("")

  const locales = [catalog.locale ?? language, "en-NG"]
  const days = new Intl.DateTimeFormat(locales, { dateStyle: "long", timeZone })
  const moments = new Intl.DateTimeFormat(locales, { dateStyle: "long", timeStyle: "short", timeZone })
  const times = new Intl.DateTimeFormat(locales, { timeStyle: "short", timeZone })
  const zoned = (shown: Html): Html => text("layout.zone", { time: shown, city })

  return {
    catalog,
    city,
    text,
    plain,
    field: (name) => {
      const label = Object.hasOwn(messages, `field.${name}`) ? messages[`field.${name}`] : undefined
      return html`${label === undefined ? spaced(name) : pluralFormOf(language, label, undefined)}`
    },
    value: (field, value) => {
      if (typeof value === "boolean") return plain(value ? "value.yes" : "value.no")
      if (field === "country") return countryName(language, value)
      return field === "kyc_status" && (value === "VERIFIED" || value === "UNVERIFIED")
        ? plain(`value.${value}`)
        : value
    },
    day: shownIn(days),
    dayText: (at) => days.format(DateTime.toEpochMillis(at)),
    clock: shownIn(times),
    time: (at) => zoned(shownIn(times)(at)),
    moment: (at) => zoned(shownIn(moments)(at))
  }
}
