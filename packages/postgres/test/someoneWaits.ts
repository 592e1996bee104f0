import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Schedule } from "effect"

/** Waits until a statement in this database is blocked on a lock held by another transaction. */
export const someoneWaits = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const waiting = sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  yield* Effect.repeat(waiting, { until: ({ length }) => length > 0, schedule: Schedule.spaced("5 millis") })
})
