import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { isSqlError } from "effect/sql/SqlError"

/** Fails unless the database rejects the statement and names the violated constraint. */
export const expectRefused = Effect.fnUntraced(function* (
  rule: string,
  statement: string,
  params: ReadonlyArray<unknown> = []
) {
  const sql = yield* PgClient.PgClient
  const error = yield* Effect.flip(sql.withTransaction(sql.unsafe(statement, params)))
  assert.isTrue(isSqlError(error))
  const { constraint, message } = Object(error.reason.cause)
  assert.include([constraint, message].join(" "), rule, statement)
})
