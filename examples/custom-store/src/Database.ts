import { DatabaseSync, type SQLTagStore } from "node:sqlite"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Context, Effect, Layer, Predicate } from "effect"

const tables = `
  create table if not exists rate_limit (
    name text not null,
    key text not null,
    full_at_millis real not null,
    primary key (name, key)
  ) strict, without rowid;

  create table if not exists code_challenge (
    link_hash text primary key,
    record text not null,
    window_ends_at text not null generated always as (record ->> 'windowEndsAt') stored
  ) strict, without rowid;

  create index if not exists code_challenge_window on code_challenge (window_ends_at);
`

/** One SQLite file for rate limits and one-time codes, shared by every process. */
export class Database extends Context.Service<
  Database,
  {
    /**
     * Runs `body` in a transaction that holds the only write lock, so its reads stay valid until the commit. If `body`
     * throws, nothing is stored.
     */
    readonly write: <A>(operation: string, body: (sql: SQLTagStore) => A) => Effect.Effect<A, StoreError>
  }
>()("@surety/example-custom-store/Database") {}

const inTransaction = <A>(sqlite: DatabaseSync, body: () => A): A => {
  sqlite.exec("begin immediate")
  try {
    const answer = body()
    sqlite.exec("commit")
    return answer
  } finally {
    if (sqlite.isTransaction) sqlite.exec("rollback")
  }
}

/**
 * Result codes that report an unavailable database rather than an invalid statement: busy, locked, no memory,
 * read-only, interrupted, I/O error, full, cannot open.
 *
 * @see https://sqlite.org/rescode.html
 */
const unavailableCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 13, 14])

const isUnavailable = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "errcode") &&
  typeof cause.errcode === "number" &&
  unavailableCodes.has(cause.errcode & 0xff)

const attempt = <A>(operation: string, body: () => A): Effect.Effect<A, StoreError> =>
  Effect.catch(Effect.try({ try: body, catch: (cause) => ({ cause }) }), ({ cause }) =>
    isUnavailable(cause)
      ? Effect.fail(new StoreError({ operation, reason: new StoreUnavailable({ cause }) }))
      : Effect.die(cause)
  )

/**
 * `Database` over the SQLite file at `path`, which is created if it is missing. A transaction waits up to
 * `patienceMillis` for another connection's lock, then fails as unavailable.
 */
export const layer = (path: string, patienceMillis = 1_000): Layer.Layer<Database, StoreError> =>
  Layer.effect(
    Database,
    Effect.gen(function* () {
      const sqlite = yield* Effect.acquireRelease(
        attempt("Database.open", () => new DatabaseSync(path, { timeout: patienceMillis })),
        (opened) => Effect.sync(() => opened.close())
      )
      yield* attempt("Database.open", () => sqlite.exec(`pragma journal_mode = wal; ${tables}`))
      const sql = sqlite.createTagStore()
      return Database.of({
        write: (operation, body) => attempt(operation, () => inTransaction(sqlite, () => body(sql)))
      })
    })
  )
