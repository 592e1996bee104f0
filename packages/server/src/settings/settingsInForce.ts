import type { SettingInForce } from "@surety/console/ConsoleSettings"
import { Duration, Redacted } from "effect"
import { type Settings, settingTable } from "./Settings.js"

/** Matches the names of settings whose values are, or may contain, a secret. */
const secret = /TOKEN|SECRET|PASSWORD|HEADERS|DATABASE_URL|_KEYS?$/u

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

/**
 * Reduces a url to its protocol and host, since the rest may be secret. A malformed url becomes "set". Returns other
 * strings unchanged.
 */
const withoutPath = (text: string): string => {
  if (!text.includes("://")) return text
  const url = URL.parse(text)
  return url === null || url.host === "" ? "set" : `${url.protocol}//${url.host}`
}

const shown = (value: unknown): string => {
  if (value === undefined) return "not set"
  if (typeof value === "boolean") return value ? "on" : "off"
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  if (typeof value === "string") return value === "" ? "empty" : withoutPath(value)
  if (Duration.isDuration(value)) return Duration.format(value)
  return isTexts(value) ? value.map(withoutPath).join(", ") : "set"
}

const textOf = (name: string, value: unknown): string => {
  if (value === undefined) return "not set"
  return Redacted.isRedacted(value) || secret.test(name) ? "set; a secret" : shown(value)
}

/** Returns every setting of the table as operators see it. Hides the values of secret settings. */
export const settingsInForce = (settings: Settings): ReadonlyArray<SettingInForce> => {
  const values = new Map<string, unknown>(Object.entries(settings))
  return Object.entries(settingTable).map(([key, { meaning, name }]) => ({
    name,
    meaning,
    value: textOf(name, values.get(key))
  }))
}
