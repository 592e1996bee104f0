import { innermostMessage } from "@surety/core/innermostMessage"
import { Redacted } from "effect"
import { StartFailed } from "./StartFailed.js"
import type { Settings } from "./settings/Settings.js"

/** The start's way of saying that nobody can listen there. */
export const listening = (settings: Settings, cause: unknown): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot listen on ${settings.host}:${settings.port}: ${innermostMessage(cause)}. ` +
      "Set HOST and PORT to an address of this machine and a port that is free; PORT=0 picks one."
  })

/** The database, without the password that leads to it. */
const databaseOf = ({ databaseUrl, dataDir }: Settings): string => {
  if (databaseUrl === undefined) return `the embedded database in ${dataDir}`
  const { host, pathname, username } = new URL(Redacted.value(databaseUrl))
  return `the database ${pathname.slice(1)} at ${host} as ${username === "" ? "its default user" : username}`
}

/** The start's way of saying that the database cannot be used. */
export const database = (settings: Settings, cause: unknown): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot use ${databaseOf(settings)}: ${innermostMessage(cause)}` +
      (settings.databaseUrl === undefined ? "" : ". Check DATABASE_URL.")
  })

const writableDirectory = "Set DATA_DIR to a directory that this user may write to."

/** The start's way of saying that there is no place for the embedded database. */
export const dataDirectory = (settings: Settings, cause: unknown): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot keep the embedded database in DATA_DIR, ${settings.dataDir}: ${innermostMessage(cause)}. ` +
      `${writableDirectory} Or set DATABASE_URL.`
  })

/** The start's way of saying that the development keys cannot be kept. */
export const keys = (settings: Settings, cause: unknown): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot keep its development keys in DATA_DIR, ${settings.dataDir}: ${innermostMessage(cause)}. ` +
      writableDirectory
  })
