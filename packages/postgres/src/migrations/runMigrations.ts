import * as PgClient from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Duration, Effect, Option, Schedule, Schema } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { describe, fromSchemaError, fromSqlError, isUnavailable, sqlStateOf } from "../connection/storeFailure.js"
import { PgSettings } from "../PgSettings.js"
import { readLayout } from "./indexPartitions.js"
import { functionText, type Migration, type MigrationSet, type SqlFunction, stepText } from "./Migration.js"
import { type DatabaseIsNewer, type DatabasePredatesRelease, MigrationFailed } from "./MigrationError.js"
import {
  becomeOwnerStatement,
  firstStretch,
  functionStatement,
  lockStatement,
  lockTimeoutStatement,
  outsideLock,
  recordTables,
  schemaStatement,
  settleStatement,
  stepStatements
} from "./migrationScript.js"
import { pendingSteps, readState } from "./migrationState.js"

const operation = "PgMigrations.run"

/**
 * How long to retry steps whose tables other transactions have locked. Each attempt waits only briefly for a table
 * (`lockTimeoutStatement`).
 */
const patience = Duration.minutes(5)

const isLockTimeout = (error: unknown): error is SqlError => isSqlError(error) && sqlStateOf(error) === "55P03"

const runAll = (
  name: string,
  statements: ReadonlyArray<string>,
  execute: (statement: string) => Effect.Effect<unknown, SqlError>
): Effect.Effect<string, SqlError | MigrationFailed> =>
  Effect.forEach(statements, execute, { discard: true }).pipe(
    Effect.mapError((error) =>
      isUnavailable(error) ? error : new MigrationFailed({ migration: name, cause: describe(operation, error) })
    ),
    Effect.andThen(Effect.logDebug("Migrated").pipe(Effect.annotateLogs({ migration: name }))),
    Effect.as(name)
  )

/**
 * Creates the schema and the tables that record migrations. An existing schema is skipped, since the user may lack the
 * privilege to create schemas.
 */
const prepare = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  const found = yield* sql`select 1 where to_regnamespace(${`"${schema}"`}) is not null`
  const statements = [...(found.length === 0 ? [schemaStatement(schema)] : []), ...recordTables(schema)]
  for (const statement of statements) yield* sql.unsafe(statement).unprepared
})

const decodeLocked = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ locked: Schema.Boolean })]))

/**
 * Holds the lock for steps outside transactions until the scope closes. Polls for it, because the holder's
 * `create index concurrently` waits for running statements. It would deadlock with a statement that waits for this
 * lock.
 */
const lockOutside = (connection: Connection, schema: string) => {
  const ask = (verb: string) => connection.execute(`select ${verb}(${outsideLock(schema)}) as locked`, [], undefined)
  const attempt = Effect.map(Effect.flatMap(ask("pg_try_advisory_lock"), decodeLocked), ([{ locked }]) => locked)
  return Effect.acquireRelease(
    Effect.repeat(attempt, { until: (locked) => locked, schedule: Schedule.spaced("200 millis") }),
    () => Effect.ignore(ask("pg_advisory_unlock"))
  )
}

/** Builds the effect that runs a set's pending migrations and returns their names. */
export const make = (
  set: MigrationSet
): Effect.Effect<
  ReadonlyArray<string>,
  DatabaseIsNewer | DatabasePredatesRelease | MigrationFailed | StoreError,
  PgClient.PgClient
> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient.PgClient).withoutTransforms()
    const { schema } = yield* PgSettings
    const execute = (statement: string) => sql.unsafe(statement).unprepared
    const isAlone = Option.isNone(yield* Effect.serviceOption(sql.transactionService))

    const runStep = (step: Migration) => runAll(stepText(step), stepStatements(schema, step), execute)

    const runFunction = (sqlFunction: SqlFunction) =>
      runAll(functionText(sqlFunction), [functionStatement(schema, sqlFunction)], execute)

    /**
     * Runs the pending steps up to the next one that must run outside a transaction. Without such a step, also runs the
     * pending functions and adapts a distributed schema. Returns that step, if any, and the names of the migrations
     * applied.
     */
    const stretch = sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(lockStatement(schema))
        if (isAlone) yield* sql.unsafe(lockTimeoutStatement)
        const before = yield* readState(sql, schema)
        // Keeps the role of a caller's transaction, because a change would remain in effect after the migration.
        const becomeOwner = isAlone ? execute(becomeOwnerStatement(schema)) : Effect.void
        if (Option.isNone(before)) yield* Effect.andThen(becomeOwner, prepare(sql, schema))
        const pending = yield* pendingSteps(schema, set, before)
        const { outside, together } = firstStretch(pending.steps)
        if (pending.steps.length + pending.functions.length > 0) yield* becomeOwner
        const steps = yield* Effect.forEach(together, runStep)
        const functions = outside === undefined ? yield* Effect.forEach(pending.functions, runFunction) : []
        if (outside === undefined) yield* runAll("of a distributed schema", [settleStatement(schema)], execute)
        return { applied: [...steps, ...functions], outside }
      })
    )

    /**
     * Runs `stretch`. While a table is locked, retries for up to `patience`, then fails with `MigrationFailed`. Inside
     * a caller's transaction, which cannot be restarted, the stretch waits for the lock instead.
     */
    const runStretch = isAlone
      ? stretch.pipe(
          Effect.tapError((error) =>
            isLockTimeout(error) ? Effect.logWarning("Migration is waiting for a table that is in use") : Effect.void
          ),
          Effect.retry({
            while: isLockTimeout,
            schedule: Schedule.spaced("500 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: patience }))
          }),
          Effect.catchIf(isLockTimeout, (error) => {
            const cause = describe(operation, error)
            return Effect.fail(new MigrationFailed({ migration: "of tables that stay in use", cause }))
          })
        )
      : stretch

    /**
     * Runs a step on a dedicated connection, unless another process has run it in the meantime. Fails with
     * `MigrationFailed` inside a caller's transaction.
     */
    const runOutside = Effect.fnUntraced(function* (step: Migration) {
      const name = stepText(step)
      if (!isAlone) {
        const cause = new Error("it runs outside a transaction, and the caller has begun one")
        return yield* new MigrationFailed({ migration: name, cause })
      }
      const connection = yield* sql.reserve
      yield* lockOutside(connection, schema)
      const onConnection = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.provideService(work, sql.transactionService, [connection, 0])
      const state = yield* onConnection(readState(sql, schema))
      const { steps } = yield* pendingSteps(schema, set, state)
      if (!steps.some(({ id }) => id === step.id)) return []
      const run = (statement: string) => connection.executeUnprepared(statement, [], undefined)
      return [yield* runAll(name, stepStatements(schema, step, yield* onConnection(readLayout(sql, schema))), run)]
    }, Effect.scoped)

    const applied: Array<string> = []
    while (true) {
      const stretch = yield* runStretch
      applied.push(...stretch.applied)
      if (stretch.outside === undefined) return applied
      applied.push(...(yield* runOutside(stretch.outside)))
    }
  }).pipe(
    Effect.catchTags({
      SqlError: (error) => fromSqlError(operation, error),
      SchemaError: (error) => Effect.fail(fromSchemaError(operation, error))
    }),
    Effect.withSpan(operation)
  )
