import type { SettingInForce } from "@surety/console/ConsoleSettings"
import { Predicate, Redacted } from "effect"
import type { Setting } from "./Setting.js"

/** Matches the names of settings whose values are, or may contain, a secret. */
const secret = /TOKEN|SECRET|PASSWORD|HEADERS|DATABASE_URL|_KEYS?$/u

const isPlain = (value: unknown): value is object =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

const holdsSecret = (value: unknown): boolean => {
  if (Redacted.isRedacted(value)) return true
  const parts = Array.isArray(value) ? value : isPlain(value) ? Object.values(value) : []
  return parts.some(holdsSecret)
}

/**
 * Reduces a url to its protocol and host, since the rest may be secret. A malformed url becomes "set". Returns other
 * strings unchanged.
 */
const withoutPath = (text: string): string => {
  if (!text.includes("://")) return text
  const url = URL.parse(text)
  return url === null || url.host === "" ? "set" : `${url.protocol}//${url.host}`
}

/** What happens without the setting, if its default says so. */
const withoutIt = ({ defaultText }: Setting<unknown>): string => {
  const happens = defaultText.replace(/^(?:unset|none)(?:: |$)/u, "")
  return happens === "" || happens.startsWith("must be set with") ? "not set" : `not set (${happens})`
}

const shown = (setting: Setting<unknown>, value: unknown, text: string | undefined): string => {
  if (text === undefined) return withoutIt(setting)
  if (setting.summary !== undefined) return setting.summary(text)
  if (secret.test(setting.name) || holdsSecret(value)) return "set; a secret"
  return text === "" ? setting.defaultText : withoutPath(text)
}

/** The settings of a table as `readTable` read them. */
interface Reading {
  readonly values: object
  readonly texts: ReadonlyMap<string, string | undefined>
}

/**
 * Returns the settings of a table as operators see them: as one would write them, with the default of an unset one.
 * Hides secrets.
 */
export const settingsInForce = (
  table: Readonly<Record<string, Setting<unknown>>>,
  { texts, values }: Reading
): ReadonlyArray<SettingInForce> => {
  const byKey = new Map<string, unknown>(Object.entries(values))
  return Object.entries(table).map(([key, setting]) => ({
    name: setting.name,
    meaning: setting.meaning,
    value: shown(setting, byKey.get(key), texts.get(setting.name))
  }))
}
