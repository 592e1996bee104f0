import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import type { Layer } from "effect"
import type { Settings } from "./settings/Settings.js"

const applicationName = "surety"

/** Where the embedded database is. */
export const directory = ({ dataDir }: Settings): string => path.join(dataDir, "database")

/** Whether the embedded database is still to be made; never so of one that `databaseUrl` names. */
export const isToBeMade = (settings: Settings): boolean =>
  settings.databaseUrl === undefined && !PgliteDatabase.isMade(directory(settings))

/** PostgreSQL at `databaseUrl`, or the embedded database in `dataDir`. */
export const layer = (settings: Settings) =>
  settings.databaseUrl === undefined
    ? PgliteDatabase.layer({ dataDir: directory(settings) })
    : PgClient.layer({
        url: settings.databaseUrl,
        applicationName,
        maxConnections: settings.databaseConnections,
        connectTimeout: "5 seconds"
      })

/** What of the settings decides which database it is, for a message: never a password. */
export const describe = (settings: Settings): string =>
  settings.databaseUrl === undefined
    ? `the embedded database in ${directory(settings)}`
    : "the database that DATABASE_URL names"

export type DatabaseLayer = ReturnType<typeof layer>
export type DatabaseError = DatabaseLayer extends Layer.Layer<infer _A, infer E, infer _R> ? E : never
