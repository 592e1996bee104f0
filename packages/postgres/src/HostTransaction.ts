import * as PgClient from "@effect/sql-pg/PgClient"
import { StoreError } from "@surety/core/StoreError"
import { Cause, Effect, Exit, Predicate, Schema, Semaphore } from "effect"
import { foreignTransactionRefusal } from "./connection/foreignTransaction.js"
import { textOf } from "./connection/storeFailure.js"
import { type HostConnection, type HostQuery, type HostTransactionConnection, lend } from "./HostConnection.js"

/** A call cannot join the host's transaction, or cannot keep its writes in it. The message gives the reason. */
export class HostTransactionRefused extends Schema.TaggedError<HostTransactionRefused>(
  "@surety/postgres/HostTransaction/HostTransactionRefused"
)("HostTransactionRefused", { reason: Schema.String, cause: Schema.optionalKey(Schema.Defect()) }) {
  override get message(): string {
    return this.reason
  }
}

const refused = (reason: string, cause?: unknown): HostTransactionRefused =>
  new HostTransactionRefused({ reason, ...(cause === undefined ? {} : { cause }) })

const states: Readonly<Record<string, string>> = {
  "25P01": "The connection is not in a transaction: begin one, and commit it when every call has returned.",
  "25P02":
    "The transaction on this connection is aborted because an earlier statement failed: roll it back and begin " +
    "again. PostgreSQL would turn its COMMIT into a ROLLBACK.",
  "3B001":
    "The transaction on this connection ended while Surety was using it. End it only when every call has returned."
}

const controlFailed = (cause: unknown): HostTransactionRefused =>
  refused(
    states[textOf(cause, "code") ?? ""] ??
      `Surety cannot use the transaction on this connection: ${textOf(cause, "message") ?? "the connection failed"}`,
    cause
  )

const notPg = refused(
  "The connection did not respond to SAVEPOINT as a pg connection does: pass the pg Client or PoolClient on which you began the transaction."
)

const control = (connection: HostConnection, text: string, command: string) =>
  Effect.tryPromise({
    try: async () => connection.query({ text, values: [] }),
    catch: controlFailed
  }).pipe(
    Effect.filterOrFail(
      (result) => Predicate.hasProperty(result, "command") && result.command === command,
      () => notPg
    )
  )

/**
 * Runs work under a savepoint of the host's transaction. Keeps the work's writes if `keeps` returns true, otherwise
 * rolls them back. The transaction stays usable, even after a failed statement. Fails with `HostTransactionRefused`,
 * without running the work, if the savepoint cannot be set, as in an aborted transaction. Fails with the same error
 * after the work if its writes cannot be kept, for example because the host ended the transaction.
 */
export const underSavepoint =
  <A, E>(connection: HostConnection, name: string, keeps: (exit: Exit.Exit<A, E>) => boolean) =>
  <R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | HostTransactionRefused, R> => {
    const release = control(connection, `RELEASE SAVEPOINT ${name}`, "RELEASE")
    const undo = Effect.andThen(control(connection, `ROLLBACK TO SAVEPOINT ${name}`, "ROLLBACK"), release)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        yield* control(connection, `SAVEPOINT ${name}`, "SAVEPOINT")
        const exit = yield* Effect.exit(restore(work))
        if (keeps(exit)) yield* Effect.tapError(release, () => Effect.ignore(undo))
        else yield* Effect.ignore(undo)
        return yield* exit
      })
    )
  }

const verbSavepoint = "surety_verb"
const callSavepoint = "surety_call"

/**
 * Maps a store method's `BEGIN`, `COMMIT` and `ROLLBACK` to savepoint statements. Only the host ends its transaction.
 */
const inner = (text: string): string => {
  if (/^begin\b/i.test(text)) return `SAVEPOINT ${verbSavepoint}`
  if (text === "COMMIT") return `RELEASE SAVEPOINT ${verbSavepoint}`
  return text === "ROLLBACK" ? `ROLLBACK TO SAVEPOINT ${verbSavepoint}` : text
}

const withinTransaction = (host: HostConnection): HostConnection => ({
  query: (query: HostQuery) => host.query({ ...query, text: inner(query.text) })
})

const turns = new WeakMap<HostConnection, Semaphore.Semaphore>()

/**
 * Returns the semaphore of a connection. Savepoints nest and cannot overlap, so concurrent calls on one connection take
 * turns.
 */
const turnsOn = (connection: HostConnection): Semaphore.Semaphore => {
  const known = turns.get(connection) ?? Semaphore.makeUnsafe(1)
  turns.set(connection, known)
  return known
}

const isRefused = Schema.is(HostTransactionRefused)

/**
 * At this depth, Effect's client begins a store method's transaction with `BEGIN` rather than a savepoint of its own.
 */
const depth = -1

const isStoreError = Schema.is(StoreError)

/**
 * True if the call's writes are kept: it succeeded, or failed only with errors other than `StoreError`. Such a failure
 * may leave a record, such as a refund waiting for its wallet.
 */
const isAnswer = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isSuccess(exit) ||
  (exit.cause.reasons.every(Cause.isFailReason) && !exit.cause.reasons.some(({ error }) => isStoreError(error)))

const checkConnection = (given: unknown): Effect.Effect<void, HostTransactionRefused> => {
  const reason = foreignTransactionRefusal(given)
  return reason === undefined ? Effect.void : Effect.fail(refused(reason))
}

/**
 * Runs a call on the stores inside the transaction that the host has begun on this connection. The call's writes, such
 * as a refund, and the host's own rows then commit together or not at all. The host commits or rolls back, and must not
 * use the connection while this runs. The host's commit does not wake the dispatcher, so deliveries are sent at its
 * next poll.
 *
 * The call runs under a savepoint. If it fails with a `StoreError`, dies or is interrupted, its writes are rolled back.
 * The host's transaction stays usable. Dies with `HostTransactionRefused` if `connection` is not a `pg` connection, or
 * if its transaction is missing, aborted or ended.
 */
export const inTransaction =
  (connection: HostTransactionConnection) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | PgClient.PgClient> =>
    Effect.flatMap(PgClient.PgClient, ({ transactionService }) =>
      Effect.orDie(checkConnection(connection)).pipe(
        Effect.andThen(
          Effect.suspend(() =>
            turnsOn(connection).withPermit(
              effect.pipe(
                Effect.provideService(transactionService, [lend(withinTransaction(connection)).connection, depth]),
                underSavepoint<A, E>(connection, callSavepoint, isAnswer),
                Effect.catchIf(isRefused, (refusal) => Effect.die(refusal))
              )
            )
          )
        )
      )
    )
