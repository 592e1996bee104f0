import * as PgClient from "@effect/sql-pg/PgClient"
import type { StoreError } from "@surety/core/StoreError"
import { Array as Arr, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { describe, fromSchemaError, fromSqlError, isUnavailable } from "./connection/storeFailure.js"
import { migration as migration1 } from "./migrations/0001_merchants.js"
import { migration as migration2 } from "./migrations/0002_money.js"
import { migration as migration3 } from "./migrations/0003_events.js"
import { migration as migration4 } from "./migrations/0004_refund_functions.js"
import { migration as migration5 } from "./migrations/0005_delivery_functions.js"
import { migration as migration6 } from "./migrations/0006_consent.js"
import { migration as migration7 } from "./migrations/0007_kyc.js"
import { migration as migration8 } from "./migrations/0008_webhooks.js"
import { migration as migration9 } from "./migrations/0009_rate_limits.js"
import { migration as migration10 } from "./migrations/0010_verification_lists.js"
import { migration as migration12 } from "./migrations/0012_consent_page.js"
import { migration as migration13 } from "./migrations/0013_merchant_purpose_and_lists.js"
import { migration as migration14 } from "./migrations/0014_delivery_reads.js"
import { migration as migration15 } from "./migrations/0015_claim_shares.js"
import { migration as migration16 } from "./migrations/0016_claim_turns.js"
import { migration as migration17 } from "./migrations/0017_management_link_request.js"
import { migration as migration18 } from "./migrations/0018_asking.js"
import { migration as migration20 } from "./migrations/0020_kyc_evidence.js"
import { migration as migration22 } from "./migrations/0022_secret_keys.js"
import { migration as migration25 } from "./migrations/0025_event_order.js"
import { migration as migration26 } from "./migrations/0026_list_indexes.js"
import type { Migration } from "./migrations/Migration.js"
import { settle } from "./PgEventOrder.js"
import { PgSettings } from "./PgSettings.js"
import * as Database from "./sql/Database.js"

/** Every step, in order. */
export const migrations: ReadonlyArray<Migration> = [
  migration1,
  migration2,
  migration3,
  migration4,
  migration5,
  migration6,
  migration7,
  migration8,
  migration9,
  migration10,
  migration12,
  migration13,
  migration14,
  migration15,
  migration16,
  migration17,
  migration18,
  migration20,
  migration22,
  migration25,
  migration26
]

/** The step that a database must have come to for these stores. */
export const latest: number = Math.max(...migrations.map(({ id }) => id))

/** The database was migrated by a newer release than this one. It is left alone. */
export class DatabaseIsNewer extends Schema.TaggedError<DatabaseIsNewer>(
  "@surety/postgres/PgMigrations/DatabaseIsNewer"
)("DatabaseIsNewer", { schema: Schema.String, database: Schema.Int, release: Schema.Int }) {
  override get message(): string {
    return (
      `The tables in schema "${this.schema}" are at migration ${this.database}, and this release knows migrations up ` +
      `to ${this.release} only. Run the newer release.`
    )
  }
}

/** A step, by its number and name. */
const Step = Schema.Struct({ id: Schema.Int, name: Schema.String })

/** The database lacks migrations, the last ones or some between: branches that met may have brought theirs out of order. */
export class DatabaseNotMigrated extends Schema.TaggedError<DatabaseNotMigrated>(
  "@surety/postgres/PgMigrations/DatabaseNotMigrated"
)("DatabaseNotMigrated", { schema: Schema.String, missing: Schema.NonEmptyArray(Step) }) {
  override get message(): string {
    const named = this.missing.map(({ id, name }) => `${id} (${name})`).join(", ")
    return `The tables in schema "${this.schema}" lack migrations that this release needs: ${named}. Run the migrations.`
  }
}

/** A step could not be done. Nothing of it, or of the other pending steps, remains. */
export class MigrationFailed extends Schema.TaggedError<MigrationFailed>(
  "@surety/postgres/PgMigrations/MigrationFailed"
)("MigrationFailed", { id: Schema.Int, name: Schema.String, cause: Schema.Defect() }) {
  override get message(): string {
    return `Migration ${this.id} (${this.name}) failed: ${this.cause}`
  }
}

/** A step that was run. */
export interface Applied {
  readonly id: number
  readonly name: string
}

const decodeApplied = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.Int })))

const tableStatement = (schema: string): string => `create table ${stepsTable(schema)} (
  id integer not null,
  name text not null,
  applied_at timestamptz(3) not null default now(),
  constraint surety_migrations_pkey primary key (id)
)`

const quoted = (schema: string): string => `"${schema}"`

const lockStatement = (schema: string): string =>
  `select pg_advisory_xact_lock(hashtextextended('${lockName(schema)}', 0))`

/**
 * Steps as one SQL script, for those who run migrations by hand: all of them, for an empty database, or those that are
 * not among `done`, the ids of the steps that were run. It leaves the same tables as `run` and the same record of what was
 * run, all or nothing; empty where every step was run.
 */
export const script = (schema: string, done: ReadonlyArray<number> = []): string => {
  const pending = migrations.filter(({ id }) => !done.includes(id))
  if (pending.length === 0) return ""
  const first = done.length > 0 ? [] : [`create schema if not exists ${quoted(schema)}`, tableStatement(schema)]
  const steps = pending.flatMap(({ id, name, statements }) => [
    ...statements(quoted(schema)),
    `insert into ${stepsTable(schema)} (id, name) values (${id}, '${name}')`
  ])
  return ["begin", lockStatement(schema), ...first, ...steps, "commit"].map((statement) => `${statement};\n`).join("\n")
}

const lockName = (schema: string): string => `surety_migrations ${schema}`

const stepsTable = (schema: string): string => `${quoted(schema)}.surety_migrations`

const isThere = (sql: PgClient.PgClient, schema: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(sql`select 1 where to_regclass(${stepsTable(schema)}) is not null`, (rows) => rows.length > 0)

/** The ids of the steps that were run; none where the table is not there. */
const appliedIds = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  if (!(yield* isThere(sql, schema))) return []
  const rows = yield* decodeApplied(yield* sql`select id from ${sql.literal(stepsTable(schema))} order by id`)
  return rows.map(({ id }) => id)
})

const latestOf = (ids: ReadonlyArray<number>): number => ids.at(-1) ?? 0

/** Makes the schema and the table of steps, each where it is not there: a user may lack the right to make schemas. */
const prepare = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  if (yield* isThere(sql, schema)) return
  const found = yield* sql`select 1 where to_regnamespace(${quoted(schema)}) is not null`
  if (found.length === 0) yield* sql.unsafe(`create schema ${quoted(schema)}`).unprepared
  yield* sql.unsafe(tableStatement(schema)).unprepared
})

const runStep = (sql: PgClient.PgClient, schema: string, { id, name, statements }: Migration) =>
  Effect.gen(function* () {
    for (const statement of statements(quoted(schema))) yield* sql.unsafe(statement).unprepared
    yield* sql`insert into ${sql.literal(stepsTable(schema))} (id, name) values (${id}, ${name})`
    yield* Effect.logDebug("migrated").pipe(Effect.annotateLogs({ migration: `${id} ${name}` }))
  }).pipe(
    Effect.mapError((error) =>
      isUnavailable(error) ? error : new MigrationFailed({ id, name, cause: describe("PgMigrations.run", error) })
    )
  )

/**
 * Brings the tables up to this release: every pending step, all or nothing, in one transaction. Answers what was run.
 *
 * Of any number of processes that start at once one does the work and the others wait for it.
 */
export const run: Effect.Effect<
  ReadonlyArray<Applied>,
  DatabaseIsNewer | MigrationFailed | StoreError,
  PgClient.PgClient
> = Effect.gen(function* () {
  const sql = (yield* PgClient.PgClient).withoutTransforms()
  const { schema } = yield* PgSettings
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(hashtextextended(${lockName(schema)}, 0))`
      yield* prepare(sql, schema)
      const done = yield* appliedIds(sql, schema)
      if (latestOf(done) > latest) {
        return yield* new DatabaseIsNewer({ schema, database: latestOf(done), release: latest })
      }
      const pending = migrations.filter(({ id }) => !done.includes(id))
      for (const migration of pending) yield* runStep(sql, schema, migration)
      return pending.map(({ id, name }): Applied => ({ id, name }))
    })
  )
}).pipe(
  Effect.catchTags({
    SqlError: (error) => fromSqlError("PgMigrations.run", error),
    SchemaError: (error) => Effect.fail(fromSchemaError("PgMigrations.run", error))
  }),
  Effect.withSpan("PgMigrations.run")
)

/**
 * The script of the steps that this database lacks, to be read and run by hand; empty where it lacks none. Changes
 * nothing.
 */
export const pendingScript: Effect.Effect<string, DatabaseIsNewer | StoreError, PgClient.PgClient> = Effect.gen(
  function* () {
    const { settings, sql, verb } = yield* Database.make
    const { schema } = settings
    const done = yield* verb("PgMigrations.pendingScript")(appliedIds(sql, schema))
    if (latestOf(done) > latest) {
      return yield* new DatabaseIsNewer({ schema, database: latestOf(done), release: latest })
    }
    return script(schema, done)
  }
).pipe(Effect.withSpan("PgMigrations.pendingScript"))

/** Runs the migrations and settles the order of events when it is built. */
export const layer: Layer.Layer<never, DatabaseIsNewer | MigrationFailed | StoreError, PgClient.PgClient> =
  Layer.effectDiscard(Effect.andThen(run, settle))

/** Why a database is not ready to be worked with. */
export type NotReady = DatabaseIsNewer | DatabaseNotMigrated | StoreError

/** Succeeds when the database can be reached and has the tables of this release: what a readiness probe asks. */
export const readiness: Effect.Effect<void, NotReady, PgClient.PgClient> = Effect.gen(function* () {
  const { settings, sql, verb } = yield* Database.make
  const { schema } = settings
  const done = yield* verb("PgMigrations.readiness")(appliedIds(sql, schema))
  const database = latestOf(done)
  if (database > latest) return yield* new DatabaseIsNewer({ schema, database, release: latest })
  const missing = migrations.filter(({ id }) => !done.includes(id)).map(({ id, name }) => ({ id, name }))
  if (Arr.isArrayNonEmpty(missing)) return yield* new DatabaseNotMigrated({ schema, missing })
}).pipe(Effect.withSpan("PgMigrations.readiness"))
