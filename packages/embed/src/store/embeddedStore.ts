import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { InvalidOptions } from "../InvalidOptions.js"
import { optional, options as optionsOf, textOption } from "../option/Check.js"
import { databaseStore } from "./databaseStore.js"
import type { HostStore } from "./HostStore.js"

const check = optionsOf<{ readonly dataDir?: string }>({ dataDir: optional(textOption) })

/**
 * Keeps records in an embedded PostgreSQL: in `dataDir`, for one process at a time, or in memory without it. For
 * development and demonstrations: it survives a crash of the process, not of the machine. Throws `InvalidOptions`.
 */
export const embeddedStore = (options: { readonly dataDir?: string } = {}): HostStore => {
  const faults = check(options, "")
  if (faults.length > 0) throw new InvalidOptions(faults, "An embedded store")
  return databaseStore({ client: PgliteDatabase.layer(options) }, {})
}
