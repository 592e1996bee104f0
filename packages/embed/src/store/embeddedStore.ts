import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import { databaseStore } from "./databaseStore.js"
import type { HostStore } from "./HostStore.js"

/**
 * Records in an embedded PostgreSQL: in `dataDir`, which one process at a time may use, or in memory where it is absent.
 * For development and demonstrations: it survives a crash of the process, not of the machine.
 */
export const embeddedStore = (options: { readonly dataDir?: string } = {}): HostStore =>
  databaseStore(PgliteDatabase.layer(options), {})
