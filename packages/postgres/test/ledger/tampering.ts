import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Effect } from "effect"

/** Changes one row behind the stores' back, past append-only triggers and foreign keys. */
export const tamper = Effect.fnUntraced(function* (statement: string, params: ReadonlyArray<unknown>) {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      assert.lengthOf(yield* sql.unsafe(`${statement} returning 1`, params), 1)
    })
  )
})

/** The audit's report after a row was changed behind the stores' back. */
export const faultsAfter = Effect.fnUntraced(function* (statement: string, params: ReadonlyArray<unknown>) {
  yield* tamper(statement, params)
  return yield* (yield* Ledger).audit
})
