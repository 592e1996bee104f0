import type { PgClient } from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Effect, Layer, Option } from "effect"
import { appendEventsFunction, deliveryIdFunction, uuidV7Function } from "./event/appendEventsFunction.js"
import { awaitWritersFunction } from "./event/awaitWritersFunction.js"
import { claimPlatformEventsFunction } from "./event/claimPlatformEventsFunction.js"
import { claimDeliveriesFunction } from "./event/delivery/claimDeliveriesFunction.js"
import { recordAttemptsFunction } from "./event/delivery/recordAttemptsFunction.js"
import { beginEventEpochFunction, settleEventOrderFunction } from "./event/eventOrderFunctions.js"
import { leaseTokensFunction } from "./limit/leaseTokensFunction.js"
import { migration as merchants } from "./migrations/0001_merchants.js"
import { migration as money } from "./migrations/0002_money.js"
import { migration as events } from "./migrations/0003_events.js"
import { migration as consent } from "./migrations/0004_consent.js"
import { migration as kyc } from "./migrations/0005_kyc.js"
import { migration as limitsAndSecrets } from "./migrations/0006_limits_and_secrets.js"
import { migration as operator } from "./migrations/0007_operator.js"
import { migration as rights } from "./migrations/0008_rights.js"
import { migration as requests } from "./migrations/0009_requests.js"
import { migration as hostRequests } from "./migrations/0010_host_requests.js"
import { migration as archive } from "./migrations/0011_archive.js"
import { readLayout } from "./migrations/indexPartitions.js"
import type { MigrationSet } from "./migrations/Migration.js"
import type {
  DatabaseIsNewer,
  DatabaseNotMigrated,
  DatabasePredatesRelease,
  MigrationFailed
} from "./migrations/MigrationError.js"
import { scriptOf } from "./migrations/migrationScript.js"
import { namesOf, pendingSteps, readState, requireNothingPending } from "./migrations/migrationState.js"
import * as RunMigrations from "./migrations/runMigrations.js"
import { settleDistributionFunction, stampCommitFunction } from "./migrations/settleDistributionFunction.js"
import { settle } from "./PgEventOrder.js"
import {
  approachPartitionFunction,
  makePartitionFunction,
  makePartitionsFunction,
  partitionHoldsFunction
} from "./partition/makePartitionsFunction.js"
import { erasePersonFunction } from "./person/erasePersonFunction.js"
import { commitRefundsFunction } from "./refund/commitRefundsFunction.js"
import { loadRefundsFunction } from "./refund/loadRefundsFunction.js"
import { appendRequestsFunction } from "./request/appendRequestsFunction.js"
import { takeReadsFunction } from "./retention/takeReadsFunction.js"
import { advanceTestClockFunction } from "./sandbox/advanceTestClockFunction.js"
import * as Database from "./sql/Database.js"

export {
  DatabaseIsNewer,
  DatabaseNotMigrated,
  DatabasePredatesRelease,
  MigrationFailed
} from "./migrations/MigrationError.js"

/** The migrations: all steps, identified by number, and all functions, identified by name. */
export const migrations: MigrationSet = {
  steps: [merchants, money, events, consent, kyc, limitsAndSecrets, operator, rights, requests, hostRequests, archive],
  functions: [
    advanceTestClockFunction,
    appendEventsFunction,
    appendRequestsFunction,
    approachPartitionFunction,
    awaitWritersFunction,
    beginEventEpochFunction,
    claimDeliveriesFunction,
    claimPlatformEventsFunction,
    commitRefundsFunction,
    deliveryIdFunction,
    erasePersonFunction,
    leaseTokensFunction,
    loadRefundsFunction,
    makePartitionFunction,
    makePartitionsFunction,
    partitionHoldsFunction,
    recordAttemptsFunction,
    settleDistributionFunction,
    settleEventOrderFunction,
    stampCommitFunction,
    takeReadsFunction,
    uuidV7Function
  ]
}

/** Names of all migrations in execution order: `1 (merchants)`, …, `function append_events`, …. */
export const names: ReadonlyArray<string> = namesOf(migrations)

/**
 * Returns an SQL script to run by hand: the steps whose ids are not in `done`, and every function. If `done` is empty,
 * the script is for an empty database. On unpartitioned tables, the script creates the same objects and records as
 * `run`.
 *
 * @example
 * import * as PgMigrations from "@surety/postgres/PgMigrations"
 *
 * console.log(PgMigrations.script("surety"))
 */
export const script = (schema: string, done: ReadonlyArray<number> = []): string =>
  scriptOf(schema, { ...migrations, steps: migrations.steps.filter(({ id }) => !done.includes(id)) }, done.length === 0)

/**
 * Migrates the tables to this release and returns the names of the migrations that it ran. Pending steps and functions
 * run in one transaction, all or nothing. A step that cannot run in a transaction splits that transaction.
 *
 * If several processes start at the same time, one runs each migration and the others wait.
 */
export const run: Effect.Effect<
  ReadonlyArray<string>,
  DatabaseIsNewer | DatabasePredatesRelease | MigrationFailed | StoreError,
  PgClient
> = RunMigrations.make(migrations)

/** Runs the migrations, then `PgEventOrder.settle`, when the layer is built. */
export const layer: Layer.Layer<
  never,
  DatabaseIsNewer | DatabasePredatesRelease | MigrationFailed | StoreError,
  PgClient
> = Layer.effectDiscard(Effect.andThen(run, settle))

/** Reads which migrations have run and which are pending. */
const look = (operation: string) =>
  Effect.gen(function* () {
    const { settings, sql, verb } = yield* Database.make
    const { schema } = settings
    const state = yield* Effect.flatten(
      verb(operation)(
        readState(sql, schema).pipe(
          Effect.map(Effect.succeed),
          Effect.catchTag("DatabasePredatesRelease", (error) => Effect.succeed(Effect.fail(error)))
        )
      )
    )
    const layout = verb(operation)(readLayout(sql, schema))
    return { schema, state, layout, pending: yield* pendingSteps(schema, migrations, state) }
  }).pipe(Effect.withSpan(operation))

/**
 * Returns a script of the pending migrations to review and run by hand. Empty if nothing is pending. Changes nothing.
 */
export const pendingScript: Effect.Effect<string, DatabaseIsNewer | DatabasePredatesRelease | StoreError, PgClient> =
  Effect.flatMap(look("PgMigrations.pendingScript"), ({ layout, pending, schema, state }) =>
    Effect.map(layout, (found) => scriptOf(schema, pending, Option.isNone(state), found))
  )

/** The errors with which `readiness` can fail. */
export type NotReady = DatabaseIsNewer | DatabasePredatesRelease | DatabaseNotMigrated | StoreError

/**
 * Succeeds if the database responds and has all of this release's migrations. Fails if a newer release has added a step
 * or replaced one of this release's functions.
 */
export const readiness: Effect.Effect<void, NotReady, PgClient> = Effect.flatMap(
  look("PgMigrations.readiness"),
  ({ pending, schema, state }) => requireNothingPending(schema, pending, state)
)
