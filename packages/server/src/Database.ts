import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import { Layer, type Redacted } from "effect"
import type { Settings } from "./settings/Settings.js"

/**
 * What a command does with the database. `make` creates it and the development keys if they are missing. `change`
 * requires an existing one. `read` does too, and stores no key.
 */
export type SchemaPurpose = "make" | "change" | "read"

/** The options of every connection. */
export const connectionOf = ({ databasePreparedStatements }: Settings) =>
  ({ applicationName: "surety", connectTimeout: "5 seconds", prepare: databasePreparedStatements }) as const

/** The directory of the embedded database. */
export const directory = ({ dataDir }: Settings): string => path.join(dataDir, "database")

/** Whether the embedded database has yet to be created. Always false with `databaseUrl`. */
export const isToBeMade = (settings: Settings): boolean =>
  settings.databaseUrl === undefined && !PgliteDatabase.isMade(directory(settings))

/** PostgreSQL at a url, with the settings' options. */
export const postgres = (url: Redacted.Redacted, settings: Settings, maxConnections: number) =>
  PgClient.layer({ url, maxConnections, ...connectionOf(settings) })

/** PostgreSQL at `databaseUrl`, or the embedded database in `dataDir`. */
export const layer = (settings: Settings) =>
  settings.databaseUrl === undefined
    ? PgliteDatabase.layer({ dataDir: directory(settings) })
    : postgres(settings.databaseUrl, settings, settings.databaseConnections)

/** Whether the database is usable, checked over a connection of its own if the database allows more than one. */
export const readiness = (settings: Settings) =>
  settings.databaseUrl === undefined
    ? PgReadiness.layer
    : Layer.provide(PgReadiness.layerOwn, Layer.fresh(postgres(settings.databaseUrl, settings, 1)))

/** Names the database for a message, by its setting: never a password. */
export const describe = (settings: Settings): string =>
  settings.databaseUrl === undefined
    ? `the embedded database in ${directory(settings)}`
    : "the database that DATABASE_URL names"

export type DatabaseLayer = ReturnType<typeof layer>
export type DatabaseError = DatabaseLayer extends Layer.Layer<infer _A, infer E, infer _R> ? E : never
