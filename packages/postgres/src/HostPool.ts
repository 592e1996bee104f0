import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Layer, Predicate, type Scope, Semaphore, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { type Custom, custom, fragment } from "effect/sql/Statement"
import { hasAnswered, hostFailure } from "./internal/hostFailure.js"
import { reader, sent } from "./internal/hostValues.js"

/** A statement as `pg` takes it. */
export interface HostQuery {
  text: string
  values: Array<string | Buffer | null>
  /** The parameters' types, and what reads the answer's columns. */
  types: Array<number> & { getTypeParser: (oid: number) => (text: string) => unknown }
  queryMode: "extended"
  /** How rows are answered; as objects where it is absent. */
  rowMode?: "array"
}

export interface HostResult {
  readonly command: string
  readonly rows: ReadonlyArray<object>
}

/** A connection of the host's. A `Client` or `PoolClient` of `pg` is one. */
export interface HostConnection {
  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads are assignable to nothing narrower
  readonly query: (query: any) => Promise<HostResult>
  /** `I` outside a transaction. A driver that cannot tell is believed. */
  readonly getTransactionStatus?: () => string | null
}

/** A host's pool of connections. A `Pool` of `pg` is one. */
export interface HostPool {
  readonly connect: () => Promise<HostConnection & { readonly release: (destroy?: boolean) => void }>
}

const queryOf = (text: string, params: ReadonlyArray<unknown>): HostQuery => {
  const parameters = params.map(sent)
  const oids = parameters.map(({ oid }) => oid)
  return {
    text,
    values: parameters.map(({ value }) => value),
    types: Object.assign(oids, { getTypeParser: reader }),
    queryMode: "extended"
  }
}

/** A connection, and whether whoever gets it next finds it as it was. */
interface Lent {
  readonly connection: Connection
  readonly isSound: () => boolean
}

const lend = (host: HostConnection): Lent => {
  let underWay = 0
  let isInDoubt = false
  const ask = (query: HostQuery): Promise<HostResult> => {
    underWay += 1
    const answered = () => {
      underWay -= 1
    }
    return host.query(query).then(
      (result) => {
        answered()
        return result
      },
      (cause: unknown) => {
        answered()
        // A driver that gave up by itself says nothing of whether the statement, or the transaction around it, has ended.
        isInDoubt ||= !hasAnswered(cause)
        throw cause
      }
    )
  }
  const run = (text: string, params: ReadonlyArray<unknown>, rowMode?: "array"): Effect.Effect<HostResult, SqlError> =>
    Effect.tryPromise({
      try: () => ask({ ...queryOf(text, params), ...(rowMode === undefined ? {} : { rowMode }) }),
      catch: (cause) => hostFailure("execute", cause)
    })
  const rows: Connection["execute"] = (text, params, transform) =>
    Effect.map(run(text, params), ({ rows: answered }) => (transform === undefined ? answered : transform(answered)))
  const values: Connection["executeValues"] = (text, params) =>
    Effect.map(run(text, params, "array"), (result) => result.rows.map((row) => Object.values(row)))
  const connection: Connection = {
    execute: rows,
    executeUnprepared: rows,
    executeRaw: (text, params) => run(text, params),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, params, transform) => Stream.fromIterableEffect(rows(text, params, transform))
  }
  return { connection, isSound: () => underWay === 0 && !isInDoubt }
}

/**
 * A connection that is left with a statement under way, or with one of which nobody knows how it ended, is closed: whoever
 * got it next would wait for the one, or work inside the other's transaction.
 */
const acquire = (pool: HostPool): Effect.Effect<Connection, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.tryPromise({
        try: () => pool.connect().then((host) => ({ host, lent: lend(host) })),
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

/** PostgreSQL answers `ROLLBACK` to the `COMMIT` of a transaction in which something failed. */
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
 * A client over a pool that the host has already, of `pg` or alike, so that Surety opens no connections of its own.
 * Statements are not prepared by name, so a PgBouncer in transaction mode may stand in between. The pool stays the
 * host's: it is not ended here.
 *
 * A host whose connections answer times in another `DateStyle` than `ISO`, or bytes in another `bytea_output` than `hex`,
 * cannot be worked with: its statements fail.
 *
 * @example
 * import { Pool } from "pg"
 * const database = HostPool.layer(new Pool({ connectionString }))
 */
export const layer = (pool: HostPool): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layerFrom(make(pool))

const savepoint = "surety_verb"

/** What a transaction of a verb's own is inside the host's. Theirs alone ends with `COMMIT` or `ROLLBACK`. */
const inner = (text: string): string => {
  if (/^BEGIN\b/.test(text)) return `SAVEPOINT ${savepoint}`
  if (text === "COMMIT") return `RELEASE SAVEPOINT ${savepoint}`
  return text === "ROLLBACK" ? `ROLLBACK TO SAVEPOINT ${savepoint}` : text
}

const withinTransaction = (host: HostConnection): HostConnection => ({
  query: (query: HostQuery) => host.query({ ...query, text: inner(query.text) })
})

const turns = new WeakMap<HostConnection, Semaphore.Semaphore>()

/** Savepoints nest and cannot overlap, so what is asked at once on one connection takes turns. */
const turnsOn = (connection: HostConnection): Semaphore.Semaphore => {
  const known = turns.get(connection) ?? Semaphore.makeUnsafe(1)
  turns.set(connection, known)
  return known
}

/** Each statement would be committed by itself, whatever the host does afterwards. */
const refuseOutside = (connection: HostConnection): Effect.Effect<void> =>
  Effect.suspend(() =>
    connection.getTransactionStatus?.() === "I"
      ? Effect.die(new Error("The connection is in no transaction: begin one, and commit it when all is done."))
      : Effect.void
  )

/** The client takes a verb's own transaction for an outermost one, and begins it on the connection that it is given. */
const depth = -1

/**
 * Runs verbs of the stores inside a transaction that the host has begun on this connection, so that a refund and the
 * host's own rows are committed together, or not at all. The host commits or rolls back; until then the connection is
 * used by nobody else. Deliveries that the transaction made leave when the dispatcher looks next, since it is not told
 * of the host's commit.
 *
 * A verb that fails with a `StoreError` may have aborted the transaction: roll it back then. A connection that is in no
 * transaction, as after its commit, is refused as a defect.
 */
export const inTransaction =
  (connection: HostConnection) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | PgClient.PgClient> =>
    Effect.flatMap(PgClient.PgClient, ({ transactionService }) =>
      turnsOn(connection).withPermit(
        Effect.andThen(
          refuseOutside(connection),
          Effect.provideService(effect, transactionService, [lend(withinTransaction(connection)).connection, depth])
        )
      )
    )
