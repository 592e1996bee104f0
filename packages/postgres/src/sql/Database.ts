import { PgClient } from "@effect/sql-pg/PgClient"
import type { Environment } from "@surety/core/Environment"
import type { StoreError } from "@surety/core/StoreError"
import { Context, Effect, Fiber, Option, Schedule, type Schema, Semaphore } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { fromSchemaError, fromSqlError, isUnavailable, timedOut } from "../connection/storeFailure.js"
import { PgSettings } from "../PgSettings.js"

/** What can go wrong inside a verb before its caller sees it. */
export type InnerError = SqlError | Schema.SchemaError | StoreError

/** The database as the stores see it: our tables, and how a verb's failures reach its caller. */
export interface Database {
  /** Without a host's renaming of columns. */
  readonly sql: PgClient
  readonly settings: PgSettings
  /** The name of a table or function of ours, with its schema. */
  readonly name: (name: string) => Fragment
  /** The same as text. */
  readonly nameText: (name: string) => string
  /**
   * The condition that a table's rows are of an environment, as a constant: so that a list's index, which holds one
   * environment's rows, is used, and no look-up by an id is tempted to use it.
   */
  readonly environmentIs: (alias: string, environment: Environment) => Fragment
  /** Whether the fiber is inside a transaction of a host's. */
  readonly inTransaction: Effect.Effect<boolean>
  /**
   * Bounds a verb in time and turns its failures into those of its port; `operation` is the port's verb. The bound is
   * `operationTimeoutMillis` unless told.
   */
  readonly verb: (
    operation: string,
    timeoutMillis?: number
  ) => <A, R>(effect: Effect.Effect<A, InnerError, R>) => Effect.Effect<A, StoreError, R>
}

const isConflict = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

/** A connection that breaks inside a transaction cannot be rolled back either, and the client dies of that. */
const failBroken = Effect.catchDefect((defect: unknown) =>
  isSqlError(defect) && isUnavailable(defect) ? Effect.fail(defect) : Effect.die(defect)
)

/** Whose turn it is at a transaction's connection. */
const turns = new WeakMap<Connection, Semaphore.Semaphore>()

const turnsAt = (connection: Connection): Semaphore.Semaphore => {
  const known = turns.get(connection)
  if (known !== undefined) return known
  const made = Semaphore.makeUnsafe(1)
  turns.set(connection, made)
  return made
}

/** Whether the fiber is inside a verb whose turn it is. */
const HasTurn = Context.Reference<boolean>("@surety/postgres/sql/Database/HasTurn", { defaultValue: () => false })

export const make: Effect.Effect<Database, never, PgClient> = Effect.gen(function* () {
  const sql = (yield* PgClient).withoutTransforms()
  const settings = yield* PgSettings
  const nameText = (name: string): string => `"${settings.schema}".${name}`
  const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  /**
   * Verbs that a host runs at once inside one transaction take turns. They share its savepoints, so that one that rolls
   * back would take with it what another has just done; and no lock keeps a transaction from itself.
   */
  const inTurn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.all([Effect.serviceOption(sql.transactionService), HasTurn]), ([transaction, hasTurn]) =>
      Option.isNone(transaction) || hasTurn
        ? effect
        : turnsAt(transaction.value[0]).withPermit(Effect.provideService(effect, HasTurn, true))
    )

  /** A host's transaction that the server gave up is the host's to begin again. */
  const retryConflicts = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(inTransaction, (inside) =>
      inside
        ? effect
        : Effect.retry(effect, {
            while: isConflict,
            times: settings.conflictRetries,
            schedule: Schedule.jittered(Schedule.exponential("5 millis"))
          })
    )

  /**
   * The statement goes on in a fiber of its own: a server that does not answer is not waited for to give up either.
   * Inside a host's transaction it is, since the host goes on with the same connection.
   */
  const bounded =
    (timedOutError: () => StoreError, timeoutMillis: number) =>
    <A, R>(effect: Effect.Effect<A, StoreError, R>): Effect.Effect<A, StoreError, R> => {
      const orElse = () => Effect.fail(timedOutError())
      return Effect.flatMap(inTransaction, (inside) =>
        inside
          ? Effect.timeoutOrElse(inTurn(effect), { duration: timeoutMillis, orElse })
          : Effect.flatMap(Effect.forkDetach(effect), (fiber) =>
              Fiber.join(fiber).pipe(
                Effect.timeoutOrElse({ duration: timeoutMillis, orElse }),
                Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe()))
              )
            )
      )
    }

  return {
    sql,
    settings,
    name: (name) => sql.literal(nameText(name)),
    nameText,
    environmentIs: (alias, environment) =>
      sql.literal(`${alias}.environment = ${environment === "LIVE" ? "'LIVE'" : "'TEST'"}`),
    inTransaction,
    verb:
      (operation, timeoutMillis = settings.operationTimeoutMillis) =>
      (effect) =>
        effect.pipe(
          failBroken,
          retryConflicts,
          Effect.catchTags({
            SqlError: (error) => fromSqlError(operation, error),
            SchemaError: (error) => Effect.fail(fromSchemaError(operation, error))
          }),
          bounded(() => timedOut(operation, timeoutMillis), timeoutMillis)
        )
  }
})
