import { PgClient } from "@effect/sql-pg/PgClient"
import type { Environment } from "@surety/core/Environment"
import type { StoreError } from "@surety/core/StoreError"
import { Context, Effect, Exit, Option, Schedule, type Schema, Semaphore } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { fromSchemaError, fromSqlError, isPersonGone, isUnavailable, timedOut } from "../connection/storeFailure.js"
import { PgSettings } from "../PgSettings.js"
import { isRefundOf } from "../refund/RefundRow.js"

/** A verb's failures before they are mapped to its port's. */
export type InnerError = SqlError | Schema.SchemaError | StoreError

/** The database as the stores use it: our tables, and how a verb's failures reach its caller. */
export interface Database {
  /** Without the host's column transforms. */
  readonly sql: PgClient
  readonly settings: PgSettings
  /** The name of one of our tables or functions, with its schema. */
  readonly name: (name: string) => Fragment
  /** The same as text. */
  readonly nameText: (name: string) => string
  /**
   * Restricts a table to an environment by a constant, so that a list uses its environment's index and a lookup by id
   * does not.
   */
  readonly environmentIs: (alias: string, environment: Environment) => Fragment
  /** Names both environments, so that a lookup by the id alone uses an index that begins with the environment. */
  readonly anyEnvironment: (alias: string) => Fragment
  /** Whether `r` is a refund of the payment `p`: the condition that finds a payment's refunds by their index. */
  readonly isRefundOf: (r: string, p: string) => Fragment
  /** Whether the fiber is inside a host's transaction. */
  readonly inTransaction: Effect.Effect<boolean>
  /**
   * Limits a verb's time and maps its failures to its port's; `operation` is the port's verb. The default limit is
   * `operationTimeoutMillis`.
   */
  readonly verb: (
    operation: string,
    timeoutMillis?: number
  ) => <A, R>(effect: Effect.Effect<A, InnerError, R>) => Effect.Effect<A, StoreError, R>
}

const isConflict = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

const metErasure = (error: unknown): boolean => isSqlError(error) && isPersonGone(error)

/** One retry is enough: the erasure that the first attempt met is committed. */
const decideAgainWithoutPerson = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, { while: metErasure, times: 1 })

const isWorthAnother = (error: unknown): boolean => isConflict(error) || metErasure(error)

/** Fails with the error once, which has happened already, and runs the effect from then on. */
const failedBefore = <A, E, R>(effect: Effect.Effect<A, E, R>, error: E): Effect.Effect<A, E, R> => {
  let isTold = false
  return Effect.suspend(() => {
    if (isTold) return effect
    isTold = true
    return Effect.fail(error)
  })
}

/** A broken connection cannot be rolled back either, which makes the client die. */
const failBroken = Effect.catchDefect((defect: unknown) =>
  isSqlError(defect) && isUnavailable(defect) ? Effect.fail(defect) : Effect.die(defect)
)

/** The turns at each transaction's connection. */
const turns = new WeakMap<Connection, Semaphore.Semaphore>()

const turnsAt = (connection: Connection): Semaphore.Semaphore => {
  const known = turns.get(connection)
  if (known !== undefined) return known
  const made = Semaphore.makeUnsafe(1)
  turns.set(connection, made)
  return made
}

/** Whether the fiber is inside a verb that has its turn. */
const HasTurn = Context.Reference<boolean>("@surety/postgres/sql/Database/HasTurn", { defaultValue: () => false })

/**
 * Runs an effect in a fiber of its own for at most that long; an interrupted caller does not wait for its end. Does
 * what `Effect.timeoutOrElse` of a fork does, with half of its fibers, since every verb passes here.
 */
const detached = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  timeoutMillis: number,
  orElse: () => Effect.Effect<never, E>
): Effect.Effect<A, E, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    Effect.callback<A, E>((resume) => {
      const fork = Effect.runForkWith(context)
      const fiber = fork(effect)
      const timer = fork(Effect.sleep(timeoutMillis))
      const stop = (): void => {
        fiber.interruptUnsafe()
        timer.interruptUnsafe()
      }
      timer.addObserver((exit) => {
        if (!Exit.isSuccess(exit)) return
        resume(orElse())
        stop()
      })
      fiber.addObserver((exit) => {
        resume(exit)
        stop()
      })
      return Effect.sync(stop)
    })
  )

export const make: Effect.Effect<Database, never, PgClient> = Effect.gen(function* () {
  const sql = (yield* PgClient).withoutTransforms()
  const settings = yield* PgSettings
  const nameText = (name: string): string => `"${settings.schema}".${name}`
  const inTransaction = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  /**
   * Concurrent verbs inside one host's transaction take turns. They share its savepoints, so a rollback of one would
   * undo another's work; and no lock excludes a transaction from itself.
   */
  const inTurn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.all([Effect.serviceOption(sql.transactionService), HasTurn]), ([transaction, hasTurn]) =>
      Option.isNone(transaction) || hasTurn
        ? effect
        : turnsAt(transaction.value[0]).withPermit(Effect.provideService(effect, HasTurn, true))
    )

  /**
   * Not inside a host's transaction: only the host can begin that again. The retries are set up after a failure alone, since
   * that costs more than the rest of what every verb passes here.
   */
  const retryConflicts = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(inTransaction, (inside) =>
      inside
        ? effect
        : Effect.catchIf(effect, isWorthAnother, (error) =>
            Effect.retry(decideAgainWithoutPerson(failedBefore(effect, error)), {
              while: isConflict,
              times: settings.conflictRetries,
              schedule: Schedule.jittered(Schedule.exponential("5 millis"))
            })
          )
    )

  /**
   * The statement runs in a detached fiber: on a timeout the caller does not wait for the server's cancellation.
   * Inside a host's transaction it does, since the host continues on the same connection.
   */
  const bounded =
    (timedOutError: () => StoreError, timeoutMillis: number) =>
    <A, R>(effect: Effect.Effect<A, StoreError, R>): Effect.Effect<A, StoreError, R> => {
      const orElse = () => Effect.fail(timedOutError())
      return Effect.flatMap(inTransaction, (inside) =>
        inside
          ? Effect.timeoutOrElse(inTurn(effect), { duration: timeoutMillis, orElse })
          : detached(effect, timeoutMillis, orElse)
      )
    }

  return {
    sql,
    settings,
    name: (name) => sql.literal(nameText(name)),
    nameText,
    environmentIs: (alias, environment) =>
      sql.literal(`${alias}.environment = ${environment === "LIVE" ? "'LIVE'" : "'TEST'"}`),
    anyEnvironment: (alias) => sql.literal(`${alias}.environment in ('TEST', 'LIVE')`),
    isRefundOf: (r, p) => sql.literal(isRefundOf(`"${settings.schema}"`, r, p)),
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
