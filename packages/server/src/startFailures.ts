import path from "node:path"
import { innermostMessage } from "@surety/core/innermostMessage"
import type { SecretKeysRefused } from "@surety/core/secret/SecretKeys"
import * as PgliteDatabase from "@surety/postgres/PgliteDatabase"
import * as PgMigrations from "@surety/postgres/PgMigrations"
import * as PgUrl from "@surety/postgres/PgUrl"
import { type PlatformError, Redacted } from "effect"
import { DevelopmentKeyUnreadable, type OperatorTokenMissing, OperatorTokenUnusable } from "./DevelopmentKeys.js"
import { StartFailed } from "./StartFailed.js"
import type { Settings } from "./settings/Settings.js"

export const listening = (settings: Settings, cause: unknown): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot listen on ${settings.host}:${settings.port}: ${innermostMessage(cause)}. ` +
      "Set HOST and PORT to an address of this machine and a port that is free; PORT=0 picks one."
  })

/** Describes the database for an error message, without the password. */
const databaseOf = ({ databaseUrl, dataDir }: Settings): string => {
  if (databaseUrl === undefined) return `the embedded database in ${dataDir}`
  const url = Redacted.value(databaseUrl)
  const { database, host, port } = PgUrl.placeOf(url)
  const { searchParams, username } = new URL(url)
  return `the database ${database} at ${host}:${port} as ${(searchParams.get("user") ?? username) || "its default user"}`
}

export const noDatabase = (settings: Settings): StartFailed =>
  new StartFailed({
    message:
      settings.databaseUrl === undefined
        ? `${settings.dataDir} has no database; check DATA_DIR. surety serve and surety migrate create one.`
        : `Surety has no tables in ${databaseOf(settings)}; check DATABASE_URL. surety migrate creates them.`
  })

const notMigrated = (settings: Settings, { isEmpty, missing }: PgMigrations.DatabaseNotMigrated): StartFailed =>
  isEmpty
    ? noDatabase(settings)
    : new StartFailed({
        message:
          `Migrations that this release needs are missing from ${databaseOf(settings)}: ` +
          `${missing.join(", ")}. Run surety migrate.`
      })

const predatesRelease = (settings: Settings, { schema }: PgMigrations.DatabasePredatesRelease): StartFailed =>
  new StartFailed({
    message:
      `The tables in ${databaseOf(settings)} predate Surety's first release and cannot be migrated. ` +
      (settings.databaseUrl === undefined
        ? `To create a new database, move ${path.join(settings.dataDir, "database")} away, or set DATA_DIR to another directory.`
        : `Use another database, or remove these tables and their records with: drop schema "${schema}" cascade`)
  })

/**
 * Builds the error for a database that cannot be used. Sets `isInUse` if another process has the embedded database
 * open.
 */
export const database = (settings: Settings, cause: unknown): StartFailed => {
  if (cause instanceof PgMigrations.DatabaseNotMigrated) return notMigrated(settings, cause)
  if (cause instanceof PgMigrations.DatabasePredatesRelease) return predatesRelease(settings, cause)
  const advice =
    cause instanceof PgliteDatabase.DirectoryLocked
      ? " If it is a running server, commands that take --server work with it: add --server and the server's address."
      : settings.databaseUrl === undefined
        ? ""
        : ". Check DATABASE_URL."
  return new StartFailed({
    message: `Surety cannot use ${databaseOf(settings)}: ${innermostMessage(cause)}${advice}`,
    ...(cause instanceof PgliteDatabase.DirectoryLocked ? { isInUse: true } : {})
  })
}

export const pooler = (settings: Settings): StartFailed =>
  new StartFailed({
    message:
      `A pooler in transaction mode is in front of ${databaseOf(settings)}, without prepared statements. Set ` +
      "DATABASE_PREPARED_STATEMENTS=off, or max_prepared_statements in PgBouncer 1.21 or newer."
  })

export const poolerOfStatements = (settings: Settings): StartFailed =>
  new StartFailed({
    message:
      `A pooler in statement mode is in front of ${databaseOf(settings)}, but Surety needs transactions. Set pool_mode to ` +
      "session or transaction."
  })

export const poolerMigrates = (settings: Settings): StartFailed =>
  new StartFailed({
    message:
      `A pooler in transaction mode is in front of ${databaseOf(settings)}, but migrations need a session. Set DATABASE_URL to ` +
      "PostgreSQL's own address for surety migrate."
  })

/** Returns true if PostgreSQL rejected a statement because the user lacks a privilege (SQLSTATE 42501). */
export const lacksRights = (defect: unknown): defect is { readonly text: string } =>
  typeof defect === "object" &&
  defect !== null &&
  "text" in defect &&
  "sqlState" in defect &&
  defect.sqlState === "42501"

export const rights = (settings: Settings, { text }: { readonly text: string }): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot use ${databaseOf(settings)}: ${text}. Run surety migrate --serve-as with the name of this user, as the ` +
      "owner of the tables (docs/embedding/migrations.md), or connect as the owner."
  })

const writableDirectory = "Set DATA_DIR to a directory that this user may write to."

export const dataDirectory = (settings: Settings, cause: unknown): StartFailed =>
  new StartFailed({
    message:
      `Surety cannot keep the embedded database in DATA_DIR, ${settings.dataDir}: ${innermostMessage(cause)}. ` +
      `${writableDirectory} Or set DATABASE_URL.`
  })

export const secretKeys = (settings: Settings, { message }: SecretKeysRefused): StartFailed =>
  new StartFailed({
    message:
      `SECRETS_KEY does not match ${databaseOf(settings)}. ${message}` +
      (settings.secretKeys === undefined
        ? ` SECRETS_KEY is not set: the key is the one kept in DATA_DIR, ${settings.dataDir}.`
        : " SECRETS_KEY is a comma-separated list of keys.") +
      " If a key is lost for good, see docs/embedding/runbooks.md."
  })

export const keys = (
  settings: Settings,
  cause: DevelopmentKeyUnreadable | OperatorTokenUnusable | PlatformError.PlatformError
): StartFailed =>
  new StartFailed({
    message:
      cause instanceof DevelopmentKeyUnreadable || cause instanceof OperatorTokenUnusable
        ? cause.message
        : `Surety cannot keep its development keys in DATA_DIR, ${settings.dataDir}: ${innermostMessage(cause)}. ` +
          writableDirectory
  })

export const operatorToken = (
  settings: Settings,
  cause: OperatorTokenMissing | OperatorTokenUnusable | PlatformError.PlatformError
): StartFailed =>
  new StartFailed({
    message:
      cause._tag === "OperatorTokenMissing" || cause._tag === "OperatorTokenUnusable"
        ? cause.message
        : `Surety cannot read the operator's token in DATA_DIR, ${settings.dataDir}: ${innermostMessage(cause)}. Set ` +
          "DATA_DIR to the server's directory, or OPERATOR_TOKEN to its token."
  })
