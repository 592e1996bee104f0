import { existsSync } from "node:fs"
import path from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Schema, type Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { type DirectoryLocked, lockDirectory } from "./connection/directoryLock.js"
import { pgliteDuplex } from "./connection/pgliteDuplex.js"

export { DirectoryLocked } from "./connection/directoryLock.js"

/** The embedded database could not be opened. `directory` is absent for an in-memory database. */
export class PgliteNotOpened extends Schema.TaggedError<PgliteNotOpened>(
  "@surety/postgres/PgliteDatabase/PgliteNotOpened"
)("PgliteNotOpened", { directory: Schema.optionalKey(Schema.String), cause: Schema.Defect() }) {
  override get message(): string {
    return `The embedded database ${this.directory ?? "in memory"} could not be opened: ${this.cause}`
  }
}

export interface PgliteOptions {
  /** The data directory, created if missing. Without it, data is kept in memory and lost with the process. */
  readonly dataDir?: string
}

/** Returns true if the client connects through a stream, like a client from `layer`, rather than to a server. */
export const isEmbedded = ({ config }: PgClient.PgClient): boolean => config.stream !== undefined

const postgresIn = (dataDir: string): string => path.join(dataDir, "postgres")

/** Returns true if `dataDir` contains a database. Opens and creates nothing. */
export const isMade = (dataDir: string): boolean => existsSync(path.join(postgresIn(dataDir), "PG_VERSION"))

const open = (dataDir: string | undefined): Effect.Effect<PGlite, PgliteNotOpened, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { PGlite } = await import("@electric-sql/pglite")
        return await PGlite.create(dataDir === undefined ? "memory://" : postgresIn(dataDir))
      },
      catch: (cause) => new PgliteNotOpened({ cause, ...(dataDir === undefined ? {} : { directory: dataDir }) })
    }),
    (database) => Effect.promise(() => database.close())
  )

/**
 * Provides PostgreSQL inside this process, for development, demonstrations and single-process use. The client is the
 * same as for a server, over an in-memory socket. Data in `dataDir` survives a restart and a crash of the process. It
 * is not synced to disk, so it may not survive a power cut. A lock in `dataDir` keeps a second process out.
 *
 * The database has one connection: statements wait for each other and for the end of a transaction. Do not use
 * `sql.listen`, which would hold the connection until its scope closes.
 */
export const layer = (
  options: PgliteOptions = {}
): Layer.Layer<PgClient.PgClient | SqlClient, SqlError | PgliteNotOpened | DirectoryLocked> => {
  const dataDir = options.dataDir === undefined ? undefined : path.resolve(options.dataDir)
  return Layer.unwrap(
    Effect.gen(function* () {
      if (dataDir !== undefined) yield* lockDirectory(dataDir)
      const database = yield* open(dataDir)
      return PgClient.layer({
        stream: pgliteDuplex(database),
        username: "postgres",
        database: "postgres",
        maxConnections: 1,
        ssl: false
      })
    })
  )
}
