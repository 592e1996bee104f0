import { Effect, Stream } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { hasAnswered, hostFailure } from "./connection/hostFailure.js"
import { reader, sent } from "./connection/hostValues.js"

/** A statement in the form that `pg` accepts. */
export interface HostQuery {
  text: string
  values: Array<string | Buffer | null>
  /** Type oids of the parameters, and parsers for the result's columns. */
  types: Array<number> & { getTypeParser: (oid: number) => (text: string) => unknown }
  queryMode: "extended"
  /** Rows are arrays if set, otherwise objects. */
  rowMode?: "array"
}

export interface HostResult {
  readonly command: string
  readonly rows: ReadonlyArray<object>
}

/** A host's connection, such as a `Client` or `PoolClient` of `pg`. */
export interface HostConnection {
  // biome-ignore lint/suspicious/noExplicitAny: pg's overloads fit no narrower type
  readonly query: (query: any) => Promise<HostResult>
}

/**
 * The `pg` connection on which a host has begun its transaction: a `Client` or `PoolClient`. A `Pool` is not accepted,
 * because it runs each statement on any free connection. Nor is a transaction of another library, such as Knex or
 * Drizzle.
 */
export interface HostTransactionConnection extends HostConnection {
  /** A method of `pg` clients that pools and other libraries' transactions lack. */
  readonly escapeLiteral: (text: string) => string
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

/**
 * A wrapped host connection. `isSound` returns false while a statement runs, and once a statement's outcome is unknown.
 */
export interface Lent {
  readonly connection: Connection
  readonly isSound: () => boolean
}

/** Wraps a host's connection as a connection of Effect's SQL client, and tracks whether it can be reused. */
export const lend = (host: HostConnection): Lent => {
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
        // Without a reply, the statement and its transaction may still be running. The connection must not be reused.
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
