import { spawn } from "node:child_process"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { main, surroundings } from "./ServerProcess.js"

/**
 * Runs the command, and sends it the signal once its database connection waits for a lock. Returns the exit code and
 * stderr. Fails if the command exits first.
 *
 * A transaction sees one snapshot of `pg_stat_activity`, so `PgClient` must not use the connection that holds the lock.
 */
export const signalledAtLock = Effect.fnUntraced(function* (
  signal: NodeJS.Signals,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) {
  const sql = yield* PgClient.PgClient
  const child = spawn(process.execPath, [main, ...args], { env: { ...surroundings, ...env } })
  let stderr = ""
  child.stderr.on("data", (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const waiting = sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'surety' and wait_event_type = 'Lock'`
  yield* Effect.repeat(waiting, {
    until: (rows) => rows.length > 0 || hasEnded(),
    schedule: Schedule.spaced("20 millis")
  })
  assert.isFalse(hasEnded(), "it ended before it came to the lock")
  child.kill(signal)
  return { code: yield* Effect.promise(() => ended), stderr }
})
