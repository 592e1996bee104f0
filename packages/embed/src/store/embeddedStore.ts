import { defaultPgSettings } from "@surety/postgres/PgSettings"
import { InvalidOptions } from "../InvalidOptions.js"
import { optional, options as optionsOf, textOption } from "../option/Check.js"
import type { HostStore } from "./HostStore.js"
import { lazily } from "./lazily.js"

export interface EmbeddedOptions {
  /** The directory that holds the database. Default: none, so records stay in memory. */
  readonly dataDir?: string
}

const check = optionsOf<EmbeddedOptions>({ dataDir: optional(textOption) })

/**
 * Stores records in an embedded PostgreSQL. With `dataDir`, records are stored on disk, for one process at a time.
 * Without `dataDir`, records stay in memory. For development and demonstrations: a machine crash may lose data in
 * `dataDir`, but a process crash does not. Throws `InvalidOptions` for invalid options.
 */
export const embeddedStore = (options: EmbeddedOptions = {}): HostStore => {
  const faults = check(options, "")
  if (faults.length > 0) throw new InvalidOptions(faults, "An embedded store")
  return {
    schema: defaultPgSettings.schema,
    layer: lazily(
      () => import("./openDatabase.js"),
      ({ openEmbedded }) => openEmbedded(options)
    )
  }
}
