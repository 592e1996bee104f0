import { PgClient } from "@effect/sql-pg/PgClient"
import type { Environment } from "@surety/core/Environment"
import type { StoreError } from "@surety/core/StoreError"
import { Context, Effect, Exit, Option, Schedule, type Schema, Semaphore } from "effect"
import { BeginTransaction } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { fromSchemaError, fromSqlError, isPersonGone, isUnavailable, timedOut } from "../connection/storeFailure.js"
import { beginReadCommitted, PgSettings } from "../PgSettings.js"
import { isRefundOf } from "../refund/RefundRow.js"

/** The failures of a store operation, before `verb` turns them into store errors or defects. */
export type InnerError = SqlError | Schema.SchemaError | StoreError

/**
 * The database as stores use it: client, settings, SQL builders for names and conditions, and the wrapper of
 * operations.
 */
export interface Database {
  /** Client without the host's column transforms. */
  readonly sql: PgClient
  readonly settings: PgSettings
  /** Qualifies the name of one of Surety's tables or functions with the schema. */
  readonly name: (name: string) => Fragment
  readonly nameText: (name: string) => string
  /**
   * Builds a condition that restricts a table to one environment. The value is a constant, so that lists can use the
   * partial index of their environment.
   */
  readonly environmentIs: (alias: string, environment: Environment) => Fragment
  /**
   * Builds a condition that names both environments. A lookup by id alone can then use an index that begins with the
   * environment.
   */
  readonly anyEnvironment: (alias: string) => Fragment
  /** Builds the condition that `r` is a refund of the payment `p`. The index of a payment's refunds supports it. */
  readonly isRefundOf: (r: string, p: string) => Fragment
  /** True if the fiber is inside a transaction of the client, such as a host's. */
  readonly inTransaction: Effect.Effect<boolean>
  /**
   * Wraps a store operation: limits its time, retries conflicts, and turns its failures into store errors or defects.
   * `operation` names it in errors, such as `Ledger.audit`. The default limit is `operationTimeoutMillis`.
   */
  readonly verb: (
    operation: string,
    timeoutMillis?: number
  ) => <A, R>(effect: Effect.Effect<A, InnerError, R>) => Effect.Effect<A, StoreError, R>
}

const isConflict = (error: unknown): boolean =>
  isSqlError(error) && (error.reason._tag === "DeadlockError" || error.reason._tag === "SerializationError")

const metErasure = (error: unknown): boolean => isSqlError(error) && isPersonGone(error)

/** Retries once if the effect named a person who was erased meanwhile. The retry no longer finds the person. */
const decideAgainWithoutPerson = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, { while: metErasure, times: 1 })

const isWorthAnother = (error: unknown): boolean => isConflict(error) || metErasure(error)

/** Returns an effect that fails with the earlier `error` on its first run. Later runs execute `effect`. */
const failedBefore = <A, E, R>(effect: Effect.Effect<A, E, R>, error: E): Effect.Effect<A, E, R> => {
  let isTold = false
  return Effect.suspend(() => {
    if (isTold) return effect
    isTold = true
    return Effect.fail(error)
  })
}

/**
 * Turns a defect into a failure if it says that the database is unavailable. On a broken connection the rollback fails
 * too, and the client raises that as a defect.
 */
const failBroken = Effect.catchDefect((defect: unknown) =>
  isSqlError(defect) && isUnavailable(defect) ? Effect.fail(defect) : Effect.die(defect)
)

const turns = new WeakMap<Connection, Semaphore.Semaphore>()

const turnsAt = (connection: Connection): Semaphore.Semaphore => {
  const known = turns.get(connection)
  if (known !== undefined) return known
  const made = Semaphore.makeUnsafe(1)
  turns.set(connection, made)
  return made
}

/** True inside a store operation that already holds its connection's permit. */
const HasTurn = Context.Reference<boolean>("@surety/postgres/sql/Database/HasTurn", { defaultValue: () => false })

/**
 * Runs an effect in its own fiber for at most `timeoutMillis`. An interrupted caller does not wait for it to end.
 * Equivalent to forking the effect under `Effect.timeoutOrElse`, but starts only two fibers, to keep every store
 * operation cheap.
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
   * Serialises concurrent operations inside one transaction of a host. They share its savepoints, so rolling one back
   * would undo another's work. Locks cannot separate them within one transaction.
   */
  const inTurn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.all([Effect.serviceOption(sql.transactionService), HasTurn]), ([transaction, hasTurn]) =>
      Option.isNone(transaction) || hasTurn
        ? effect
        : turnsAt(transaction.value[0]).withPermit(Effect.provideService(effect, HasTurn, true))
    )

  /**
   * Retries conflicts, at most `conflictRetries` times. Retries once if a person was erased meanwhile. Does not retry
   * inside a host's transaction, which only the host can restart. Retries are set up only after a failure, since the
   * setup costs more than the rest of an operation's overhead.
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
   * Limits the operation to `timeoutMillis`. It runs in a detached fiber, so on a timeout the caller does not wait for
   * the server to cancel it. Inside a host's transaction the caller does wait, since the host continues on the same
   * connection.
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
          Effect.provideService(BeginTransaction, beginReadCommitted),
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
