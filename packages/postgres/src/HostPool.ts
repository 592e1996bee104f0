import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Predicate, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { type Custom, custom, fragment } from "effect/sql/Statement"
import { hostFailure } from "./connection/hostFailure.js"
import { type HostConnection, lend } from "./HostConnection.js"

/** A host's connection pool, such as a `Pool` of `pg`. */
export interface HostPool {
  readonly connect: () => Promise<HostConnection & { readonly release: (destroy?: boolean) => void }>
}

const isConnection = (given: unknown): boolean =>
  Predicate.hasProperty(given, "query") &&
  typeof given.query === "function" &&
  Predicate.hasProperty(given, "release") &&
  typeof given.release === "function"

/**
 * Throws unless `given` is a pool connection. If the host passed a `Client`, `given` is that client, which has no
 * `release`. With an older version of `pg`, `given` is undefined instead.
 */
const connectionOf = <Given>(given: Given): Given => {
  if (isConnection(given)) return given
  throw new TypeError("pool.connect() returned no connection with query() and release(); pass a pg Pool")
}

/**
 * Acquires a connection from the pool. On release, closes the connection if a statement is still running or its outcome
 * is unknown. The next user of such a connection would wait for the statement, or work inside another caller's
 * transaction.
 */
const acquire = (pool: HostPool): Effect.Effect<Connection, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const host = connectionOf(await pool.connect())
          return { host, lent: lend(host) }
        },
        catch: (cause) => hostFailure("connect", cause)
      }),
      ({ host, lent }) => Effect.sync(() => host.release(!lent.isSound()))
    ),
    ({ lent }) => lent.connection
  )

const abortedCommit = new UnknownError({
  cause: new Error("COMMIT rolled back an aborted transaction"),
  message: "COMMIT rolled back an aborted transaction",
  operation: "commit"
})

/** Commits. Fails if the transaction is aborted, since PostgreSQL then replies `ROLLBACK` to `COMMIT`. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
      ? Effect.fail(new SqlError({ reason: abortedCommit }))
      : Effect.void
  )

const jsonFragment = custom<Custom<"PgJson", unknown>>("PgJson")

const cannotListen = new SqlError({
  reason: new UnknownError({
    cause: new Error("A host's pool cannot LISTEN"),
    message: "A host's pool cannot LISTEN",
    operation: "listen"
  })
})

const make = Effect.fnUntraced(function* (pool: HostPool) {
  const acquirer = acquire(pool)
  const client = yield* SqlClient.make({
    acquirer,
    transactionAcquirer: acquirer,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    spanAttributes: [["db.system.name", "postgresql"]],
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const postgres: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: {},
    json: (value: unknown) => fragment([jsonFragment(value)]),
    listen: () => Effect.fail(cannotListen),
    notify: (channel: string, payload: string) => Effect.asVoid(client`select pg_notify(${channel}, ${payload})`)
  })
  return postgres
})

/**
 * Provides a client on the host's own pool, of `pg` or a compatible driver. Surety opens no connections of its own and
 * never ends the pool. Statements are not prepared by name, so PgBouncer in transaction mode works. `listen` fails.
 *
 * Reading a time fails if the host's connections use a `DateStyle` other than `ISO`. Reading bytes fails if they use a
 * `bytea_output` other than `hex`.
 *
 * @example
 * import { Pool } from "pg"
 * const database = HostPool.layer(new Pool({ connectionString }))
 */
export const layer = (pool: HostPool): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layerFrom(make(pool))
