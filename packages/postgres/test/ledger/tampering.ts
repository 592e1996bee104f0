import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Ledger } from "@surety/core/ledger/Ledger"
import { Effect } from "effect"

/** Changes one row directly, bypassing the stores, triggers and foreign keys. Fails unless exactly one row changes. */
export const tamper = Effect.fnUntraced(function* (statement: string, params: ReadonlyArray<unknown>) {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      assert.lengthOf(yield* sql.unsafe(`${statement} returning 1`, params), 1)
    })
  )
})

export const faultsAfter = Effect.fnUntraced(function* (statement: string, params: ReadonlyArray<unknown>) {
  yield* tamper(statement, params)
  return yield* (yield* Ledger).audit
})
