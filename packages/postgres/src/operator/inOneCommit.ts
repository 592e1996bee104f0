import { StoreError } from "@surety/core/StoreError"
import { Effect, Schedule, Schema } from "effect"
import { DatabaseFailure } from "../connection/storeFailure.js"
import type { Database, InnerError } from "../sql/Database.js"

/** Wraps a change's own error, to distinguish it from a failure of the store operation itself. */
export interface Refused<E> {
  readonly _tag: "Refused"
  readonly error: E
}

export const refused = <E>(error: E): Refused<E> => ({ _tag: "Refused", error })

const conflicts: ReadonlySet<string> = new Set(["DeadlockError", "SerializationError"])

/**
 * True if the server aborted the transaction because of a conflict. A store method inside the transaction cannot
 * restart it.
 */
const isConflict = (error: unknown): boolean =>
  Schema.is(StoreError)(error) &&
  Schema.is(DatabaseFailure)(error.reason.cause) &&
  conflicts.has(error.reason.cause.reason)

/** Time limit for a change, as a multiple of a store operation's timeout. A change may need several operations. */
const verbsOfAChange = 6

/**
 * Builds a function that runs `change`, which calls store methods, and then `after` with its result, both in one
 * transaction. If `change` fails with `Refused`, the transaction is rolled back and the function fails with the error
 * that `Refused` contains. After a conflict the change may run again, unless the transaction belongs to the caller.
 */
export const makeInOneCommit =
  ({ inTransaction, settings, sql, verb }: Database) =>
  <A, E, R>(
    operation: string,
    change: Effect.Effect<A, Refused<E> | InnerError, R>,
    after: (result: A) => Effect.Effect<unknown, InnerError>
  ): Effect.Effect<A, E | StoreError, R> => {
    const told = sql.withTransaction(Effect.tap(change, after))
    const attempt: Effect.Effect<Effect.Effect<A, E>, InnerError, R> = Effect.matchEffect(told, {
      onSuccess: (result) => Effect.succeed(Effect.succeed(result)),
      onFailure: (error) => (error._tag === "Refused" ? Effect.succeed(Effect.fail(error.error)) : Effect.fail(error))
    })
    const whole = Effect.flatten(verb(operation, settings.operationTimeoutMillis * verbsOfAChange)(attempt))
    return Effect.flatMap(inTransaction, (inside) =>
      inside
        ? whole
        : Effect.retry(whole, {
            while: isConflict,
            times: settings.conflictRetries,
            schedule: Schedule.jittered(Schedule.exponential("5 millis"))
          })
    )
  }
