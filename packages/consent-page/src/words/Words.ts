import { DateTime } from "effect"
import { type Html, type HtmlValue, html } from "../Html.js"
import { type Catalog, englishCatalog, type Message, type MessageKey } from "./Catalog.js"

/** The values of a message's `{name}`s. `count` also chooses the plural form. */
export type MessageValues = Readonly<Record<string, Html | string | number>>

/** The words in which one page is written. */
export interface Words {
  readonly catalog: Catalog
  /** A message as markup. One that fell back to English says so to screen readers. */
  readonly text: (key: MessageKey, values?: MessageValues) => Html
  /** A message as plain text, for a title or an attribute. Takes no markup values. */
  readonly plain: (key: MessageKey, values?: Readonly<Record<string, string | number>>) => string
  /** A field's label; its bare name, spaced, if the catalog has none. */
  readonly field: (name: string) => Html
  /** The label of an enumerated value. */
  readonly value: (field: string, value: string | boolean) => string
  /** A day. */
  readonly day: (at: DateTime.Utc) => Html
  /** A time of today or tomorrow. */
  readonly time: (at: DateTime.Utc) => Html
  /** A day and the time of it. */
  readonly moment: (at: DateTime.Utc) => Html
}

interface Found {
  readonly message: Message
  readonly catalog: Catalog
}

const inCatalogs = (catalog: Catalog, key: MessageKey | `field.${string}`): Found | undefined => {
  for (const one of [catalog, englishCatalog]) {
    const message = one.messages[key]
    if (message !== undefined) return { message, catalog: one }
  }
  return undefined
}

const formOf = ({ catalog, message }: Found, count: unknown): string => {
  if (typeof message === "string") return message
  const category = typeof count === "number" ? new Intl.PluralRules(catalog.language).select(count) : "other"
  return message[category] ?? message.other
}

/** The pieces of a message: texts, and the names of values between them. */
const pieces = (form: string): ReadonlyArray<string> => form.split(/\{(\w+)\}/u)

const filled = (form: string, values: MessageValues): ReadonlyArray<HtmlValue> =>
  pieces(form).map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? `{${piece}}`)))

/** Intl's names of countries; the code if Intl has none. */
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

/** The words of a catalog, with times as they are in that zone. */
export const make = (catalog: Catalog, timeZone: string): Words => {
  const found = (key: MessageKey): Found => inCatalogs(catalog, key) ?? { message: key, catalog }

  const text = (key: MessageKey, values: MessageValues = {}): Html => {
    const one = found(key)
    const markup = html`${filled(formOf(one, values.count), values)}`
    return one.catalog.language === catalog.language
      ? markup
      : html`<span lang="${one.catalog.language}" dir="${one.catalog.direction}">${markup}</span>`
  }

  const plain = (key: MessageKey, values: Readonly<Record<string, string | number>> = {}): string =>
    pieces(formOf(found(key), values.count))
      .map((piece, index) => (index % 2 === 0 ? piece : String(values[piece] ?? `{${piece}}`)))
      .join("")

  const locales = [catalog.locale ?? catalog.language, "en-NG"]
  const days = new Intl.DateTimeFormat(locales, { dateStyle: "long", timeZone })
  const moments = new Intl.DateTimeFormat(locales, { dateStyle: "long", timeStyle: "short", timeZone })
  const times = new Intl.DateTimeFormat(locales, { timeStyle: "short", timeZone })
  const dated = (format: Intl.DateTimeFormat) => (at: DateTime.Utc) =>
    html`<time datetime="${DateTime.formatIso(at)}">${format.format(DateTime.toEpochMillis(at))}</time>`

  return {
    catalog,
    text,
    plain,
    field: (name) => {
      const one = inCatalogs(catalog, `field.${name}`)
      return one === undefined ? html`${spaced(name)}` : html`${formOf(one, undefined)}`
    },
    value: (field, value) => {
      if (typeof value === "boolean") return plain(value ? "value.yes" : "value.no")
      if (field === "country") return countryName(catalog.language, value)
      return field === "kyc_status" && (value === "VERIFIED" || value === "UNVERIFIED")
        ? plain(`value.${value}`)
        : value
    },
    day: dated(days),
    time: dated(times),
    moment: dated(moments)
  }
}

/**
 * The page's catalog: the requested one, else the first that the browser's user prefers (RFC 9110, 12.5.4),
 * else the first that the host offers.
 */
export const chooseCatalog = (
  catalogs: readonly [Catalog, ...ReadonlyArray<Catalog>],
  asked: string | undefined,
  acceptLanguage: string | undefined
): Catalog => {
  const byLanguage = (language: string) => catalogs.find((catalog) => catalog.language === language)
  if (asked !== undefined) return byLanguage(asked) ?? catalogs[0]
  const preferred = (acceptLanguage ?? "")
    .split(",")
    .slice(0, 20)
    .map((range) => {
      const [tag = "", ...parameters] = range.trim().toLowerCase().split(";")
      const weight = parameters.map((one) => /^\s*q=([\d.]+)\s*$/u.exec(one)?.[1]).find((q) => q !== undefined)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ tag, weight }) => tag !== "" && weight > 0)
    .sort((a, b) => b.weight - a.weight)
  for (const { tag } of preferred) {
    const catalog = byLanguage(tag) ?? byLanguage(tag.split("-")[0] ?? "")
    if (catalog !== undefined) return catalog
  }
  return catalogs[0]
}
