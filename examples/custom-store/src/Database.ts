import { readFileSync } from "node:fs"
import { DatabaseSync, type SQLTagStore } from "node:sqlite"
import { StoreCorrupt, StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Layer, Predicate } from "effect"
import { RecordUnreadable } from "./StoredRecord.ts"

/** Runs a statement: `` sql.get`select … where id = ${id}` ``. What stands in braces is bound, never part of the text. */
export type Sql = SQLTagStore

/** One SQLite file, which all stores share. */
export class Database extends Context.Service<
  Database,
  {
    /** What is read in `body` is of one moment. */
    readonly read: <A>(operation: string, body: (sql: Sql) => A) => Effect.Effect<A, StoreError>
    /**
     * One transaction, alone from its first statement on: what `body` reads stands until it is committed. When it
     * throws, nothing is stored.
     */
    readonly write: <A>(operation: string, body: (sql: Sql) => A) => Effect.Effect<A, StoreError>
  }
>()("@surety/example-custom-store/Database") {}

const defaultPatienceMillis = 5_000

const tables = readFileSync(new URL("./tables.sql", import.meta.url), "utf8")

const inTransaction = <A>(sqlite: DatabaseSync, begin: "begin" | "begin immediate", body: () => A): A => {
  sqlite.exec(begin)
  try {
    const answer = body()
    sqlite.exec("commit")
    return answer
  } finally {
    if (sqlite.isTransaction) sqlite.exec("rollback")
  }
}

/** What `tables.sql` makes: the file's `pragma user_version`. */
export const tablesVersion = 2n

const prepare = (sqlite: DatabaseSync): void => {
  // Readers do not wait for the writer, and a commit is on the disk when it is answered.
  sqlite.exec("pragma journal_mode = wal; pragma synchronous = full")
  inTransaction(sqlite, "begin immediate", () => {
    if (sqlite.prepare("pragma user_version").get()?.user_version !== 0n) return
    sqlite.exec(tables)
    sqlite.exec(`pragma user_version = ${tablesVersion}`)
  })
}

/**
 * Result codes that speak of the file and not of the statement: busy, locked, out of memory, read-only, interrupted, an
 * error of the disk, full, not to be opened.
 *
 * @see https://sqlite.org/rescode.html
 */
const unavailableCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 13, 14])

/** Not a database, or a damaged one. */
const corruptCodes: ReadonlySet<number> = new Set([11, 26])

const codeOf = (cause: unknown): number | undefined =>
  Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined

/** The caller's to see; `undefined` where the statement could never succeed, which is a defect of ours. */
const storeErrorOf = (operation: string, cause: unknown): StoreError | undefined => {
  const code = codeOf(cause)
  if (code !== undefined && unavailableCodes.has(code)) {
    return new StoreError({ operation, reason: new StoreUnavailable({ cause }) })
  }
  return cause instanceof RecordUnreadable || (code !== undefined && corruptCodes.has(code))
    ? new StoreError({ operation, reason: new StoreCorrupt({ cause }) })
    : undefined
}

const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, StoreError> =>
  Effect.catch(Effect.try({ try: body, catch: (cause) => ({ cause }) }), ({ cause }) => {
    const error = storeErrorOf(operation, cause)
    return error === undefined ? Effect.die(cause) : Effect.fail(error)
  })

/**
 * The database in the file. Its tables are made when it is opened for the first time. A transaction waits `patienceMillis`
 * for another process that writes, and this whole process with it.
 */
export const layer = (path: string, patienceMillis = defaultPatienceMillis): Layer.Layer<Database, StoreError> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const sqlite = yield* Effect.acquireRelease(
        attempt("Database.open", () => new DatabaseSync(path, { readBigInts: true, timeout: patienceMillis })),
        (opened) => Effect.sync(() => opened.close())
      )
      yield* attempt("Database.open", () => prepare(sqlite))
      const sql = sqlite.createTagStore()
      return Database.of({
        read: (operation, body) => attempt(operation, () => inTransaction(sqlite, "begin", () => body(sql))),
        write: (operation, body) => attempt(operation, () => inTransaction(sqlite, "begin immediate", () => body(sql)))
      })
    })
  )
