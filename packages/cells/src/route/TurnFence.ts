import { StoreError, StoreUnavailable } from "@surety/core/StoreError"
import { beginReadCommitted } from "@surety/postgres/PgSettings"
import { Context, Duration, Effect } from "effect"
import { BeginTransaction } from "effect/sql/SqlClient"
import { CellDatabase, failing } from "../CellDatabase.js"
import type { CellName } from "../Cells.js"
import type { Turn } from "../directory/CellDirectory.js"
import type { Router, Stores, Use } from "./Router.js"

const lockTimeout = Duration.seconds(5)

/**
 * Builds fences for writes that depend on several cells and are excluded by a turn. The directory can end a turn, for
 * example in a failover, while the work goes on. `written` therefore locks the turn in the cell and then asks the
 * directory whether the turn is still held. The next holder of the turn calls `settled` before it reads, and so waits
 * for a write that passed this check.
 */
export const makeTurnFence = ({ at, names }: Router) => {
  const locked =
    (operation: string, turn: Turn) =>
    <A>(stores: Stores, effect: Effect.Effect<A, StoreError>): Effect.Effect<A, StoreError> => {
      const { schema, sql } = Context.get(stores, CellDatabase)
      const late = Effect.fail(
        new StoreError({
          operation,
          reason: new StoreUnavailable({ cause: new Error("An earlier write did not end") })
        })
      )
      const lock = sql`select pg_advisory_xact_lock(hashtextextended(${`surety_turn_here ${schema} ${turn}`}, 0))`
      return failing(operation)(
        sql
          .withTransaction(
            Effect.andThen(Effect.timeoutOrElse(lock, { duration: lockTimeout, orElse: () => late }), effect)
          )
          .pipe(Effect.provideService(BeginTransaction, beginReadCommitted))
      )
    }

  return {
    /** Waits until no write of an earlier holder of the turn is in progress in any cell. */
    settled: (turn: Turn): Effect.Effect<void, StoreError> =>
      Effect.forEach(
        names,
        (cell) => at(cell, "Ledger.balance")((stores) => locked("Ledger.balance", turn)(stores, Effect.void)),
        { concurrency: "unbounded", discard: true }
      ),

    /** Runs `use` in the cell, in one transaction that fails unless `held` succeeds once the turn is locked there. */
    written:
      (cell: CellName, operation: string, turn: Turn, held: Effect.Effect<void, StoreError>) =>
      <A>(use: Use<A>): Effect.Effect<A, StoreError> =>
        at(cell, operation)((stores) => locked(operation, turn)(stores, Effect.andThen(held, use(stores))))
  }
}
