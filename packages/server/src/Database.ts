import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgReadiness from "@surety/postgres/PgReadiness"
import * as PgSettings from "@surety/postgres/PgSettings"
import { Layer, type Redacted } from "effect"
import type { Settings } from "./settings/Settings.js"

/**
 * How a command uses the database. `make` creates a missing embedded database and migrates the schema, except through a
 * pooler in transaction mode. `change` and `read` require an existing database with an up-to-date schema. `read` also
 * stores no development key and does not settle the order of events.
 */
export type SchemaPurpose = "make" | "change" | "read"

/** Returns the options common to all PostgreSQL clients, including those of the cells and their directory. */
export const connectionOf = ({ databasePreparedStatements }: Settings) =>
  ({
    applicationName: "surety",
    connectTimeout: "5 seconds",
    connectionTTL: PgSettings.connectionTTL,
    prepare: databasePreparedStatements,
    startupParameters: PgSettings.startupParameters
  }) as const

export const directory = ({ dataDir }: Settings): string => path.join(dataDir, "database")

/** Returns true if the embedded database does not exist yet. Always false if `databaseUrl` is set. */
export const isToBeMade = (settings: Settings): boolean =>
  settings.databaseUrl === undefined && !PgliteDatabase.isMade(directory(settings))

export const postgres = (url: Redacted.Redacted, settings: Settings, maxConnections: number) =>
  PgClient.layer({ url, maxConnections, ...connectionOf(settings) })

export const layer = (settings: Settings) =>
  settings.databaseUrl === undefined
    ? PgliteDatabase.layer({ dataDir: directory(settings) })
    : postgres(settings.databaseUrl, settings, settings.databaseConnections)

/** Provides the readiness check. With PostgreSQL it has a dedicated connection, so it does not wait for a busy pool. */
export const readiness = (settings: Settings) =>
  settings.databaseUrl === undefined
    ? PgReadiness.layer
    : Layer.provide(PgReadiness.layerOwn, Layer.fresh(postgres(settings.databaseUrl, settings, 1)))

/** Describes the database for a message. Omits its url, which may contain a password. */
export const describe = (settings: Settings): string =>
  settings.databaseUrl === undefined
    ? `the embedded database in ${directory(settings)}`
    : "the database that DATABASE_URL names"

export type DatabaseLayer = ReturnType<typeof layer>
export type DatabaseError = DatabaseLayer extends Layer.Layer<infer _A, infer E, infer _R> ? E : never
