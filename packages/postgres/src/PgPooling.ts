import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Fiber, type Redacted, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sqlStateOf } from "./connection/storeFailure.js"

/**
 * How a client is connected to PostgreSQL. `Direct`: without a pooler. `Sessions`: through a pooler that keeps a client
 * on one connection. `Transactions`: through a pooler that may run each transaction on another connection.
 * `keepsPrepared` is true if that pooler prepares a client's statements on each connection. `Statements`: through a
 * pooler that refuses transactions. `Unknown`: the inspection had no result, for example because the database did not
 * respond.
 */
export type Pooling =
  | { readonly _tag: "Direct" }
  | { readonly _tag: "Sessions" }
  | { readonly _tag: "Transactions"; readonly keepsPrepared: boolean }
  | { readonly _tag: "Statements" }
  | { readonly _tag: "Unknown" }

/**
 * Number of attempts to observe a change of connection. A pooler that rotates connections may return the same
 * connection by chance.
 */
const tries = 5

/** Timeout of the whole inspection. If a pooler has only one server connection, one client waits for the other. */
const patience = "4 seconds"

const unknown: Pooling = { _tag: "Unknown" }

const decodePid = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ pid: Schema.Number })]))

const pidAt = (connection: PgConnection.PgConnection) =>
  Effect.flatMap(connection.query("select pg_backend_pid() as pid", [], false), ({ rows }) => decodePid(rows))

const prepared = "select 'a statement that surety prepared' as text"

/** True for the error `invalid_sql_statement_name`: the server does not have the named prepared statement. */
const isMissing = (error: SqlError): boolean => sqlStateOf(error) === "26000"

const inTransaction = <A, E>(connection: PgConnection.PgConnection, effect: Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    connection.query("begin", [], false),
    () => effect,
    () => Effect.ignore(connection.query("rollback", [], false))
  )

/**
 * Returns whether the prepared statement runs by name in the next transaction. Undefined if that transaction uses the
 * backend `pid` again.
 */
const isKeptElsewhere = (connection: PgConnection.PgConnection, pid: number) =>
  inTransaction(
    connection,
    Effect.gen(function* () {
      const [{ pid: now }] = yield* pidAt(connection)
      if (now === pid) return undefined
      return yield* connection.query(prepared).pipe(
        Effect.as(true),
        Effect.catchIf(isMissing, () => Effect.succeed(false))
      )
    })
  )

/** Returns true if the connection responds to a query but breaks when a transaction begins. */
const refusesTransactions = (connection: PgConnection.PgConnection) =>
  Effect.andThen(
    pidAt(connection),
    inTransaction(connection, Effect.void).pipe(
      Effect.as(false),
      Effect.catch(() => Effect.succeed(true))
    )
  )

const look = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const open = PgConnection.make({ url, applicationName: "surety", connectTimeout: "3 seconds" })
  const first = yield* open
  const [{ pid: backend }] = yield* pidAt(first)
  // A pooler reports a process id of its own to each client, because the client uses many backends. A client that was
  // given its backend's id is therefore directly connected.
  if (backend === first.processId) return { _tag: "Direct" } as const
  const second = yield* open
  // Checked on both connections, because one can break by chance.
  if (yield* refusesTransactions(first)) {
    return (yield* refusesTransactions(second)) ? ({ _tag: "Statements" } as const) : unknown
  }
  for (let time = 0; time < tries; time += 1) {
    const [{ pid }] = yield* inTransaction(
      first,
      Effect.tap(pidAt(first), () => first.query(prepared))
    )
    // Poolers lend either the longest-idle or the most recently used connection. In the latter case, the first client
    // would get the same connection again, so the second client occupies it.
    const seen =
      (yield* isKeptElsewhere(first, pid)) ??
      (yield* inTransaction(
        second,
        Effect.andThen(
          pidAt(second),
          Effect.suspend(() => isKeptElsewhere(first, pid))
        )
      ))
    if (seen !== undefined) return { _tag: "Transactions", keepsPrepared: seen } as const
  }
  return { _tag: "Sessions" } as const
}, Effect.scoped)

/**
 * Detects a pooler between this process and the database, over one or two connections of its own. Never fails: a
 * database that does not respond within 4 s is `Unknown`, and the first real statement reports the cause.
 *
 * @example
 * const pooling = yield* PgPooling.inspect(Redacted.make("postgres://surety@pgbouncer.internal:6432/surety"))
 */
export const inspect = (url: Redacted.Redacted): Effect.Effect<Pooling> =>
  Effect.gen(function* () {
    // Detached, because interruption also waits for an unresponsive database, and would exceed `patience`.
    const looking = yield* Effect.forkDetach(Effect.catchCause(look(url), () => Effect.succeed(unknown)))
    return yield* Effect.timeoutOrElse(Fiber.join(looking), {
      duration: patience,
      orElse: () => Effect.succeed(unknown)
    }).pipe(Effect.ensuring(Effect.sync(() => looking.interruptUnsafe())))
  })
