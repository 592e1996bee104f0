import type { PgClient } from "@effect/sql-pg/PgClient"
import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { Effect, Semaphore } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import type { CellDirectory } from "./CellDirectory.js"

/** Maximum number of connections that wait for or hold turns. Work within a turn needs another connection. */
const turnsAtOnce = 4

/**
 * SQL that lets the current transaction be idle for any time. If the server ended it, its turns would be free while
 * their work goes on. `transaction_timeout` is new in PostgreSQL 17.
 */
const withoutTimeouts = `select set_config(s.name, '0', true) from pg_settings s
  where s.name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`

/** Identifies the connection's open transaction: its server process and the time at which it began. */
const transactionOf = (lent: Connection): Effect.Effect<string, SqlError> =>
  Effect.map(lent.executeUnprepared("select pg_backend_pid() || ' ' || now() as id", [], undefined), ([row]) =>
    JSON.stringify(row)
  )

const lost = Effect.fail(
  new StoreError({
    operation: "CellDirectory.turns",
    reason: new StoreUnavailable({ cause: new Error("The directory ended the turn while its work was going on") })
  })
)

/**
 * Builds the directory's `turns`. Uses a dedicated connection, whose open transaction holds the locks. The rollback
 * releases them. `failing` maps database failures to `StoreError`.
 */
export const makeTurns = (
  sql: PgClient,
  schema: string,
  failing: <A, R>(self: Effect.Effect<A, SqlError, R>) => Effect.Effect<A, StoreError, R>
): Effect.Effect<CellDirectory["Service"]["turns"]> =>
  Effect.map(Semaphore.make(turnsAtOnce), (waiting) =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(waiting.take(1), () => waiting.release(1), { interruptible: true })
      const lent = yield* failing(sql.reserve)
      yield* Effect.acquireRelease(failing(lent.executeUnprepared("begin", [], undefined)), () =>
        Effect.ignore(lent.executeUnprepared("rollback", [], undefined))
      )
      yield* failing(lent.executeUnprepared(withoutTimeouts, [], undefined))
      const began = yield* failing(transactionOf(lent))
      return {
        take: (turn) =>
          failing(
            Effect.asVoid(
              lent.executeUnprepared(
                "select pg_advisory_xact_lock(hashtextextended($1, 0))",
                [`surety_turn ${schema} ${turn}`],
                undefined
              )
            )
          ),
        held: Effect.flatMap(failing(transactionOf(lent)), (now) => (now === began ? Effect.void : lost))
      }
    })
  )
