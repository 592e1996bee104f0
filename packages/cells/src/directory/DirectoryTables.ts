import { PgClient } from "@effect/sql-pg/PgClient"
import { SchemaName } from "@surety/postgres/PgSettings"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** The directory's schema unless the settings name another. */
export const directorySchema = "surety_directory"

/** Creates the directory's tables in a schema, unless they exist. Concurrent calls wait for each other. */
export const migrate = (schema: string = directorySchema): Effect.Effect<void, SqlError, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const name = `"${SchemaName.make(schema)}"`
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`surety_cells ${schema}`}, 0))`
        yield* sql.unsafe(`create schema if not exists ${name}`)
        yield* sql.unsafe(`create table if not exists ${name}.merchant_place (
  merchant_id text collate "C" primary key,
  business_code text collate "C" not null unique,
  external_id text collate "C" unique,
  cell text collate "C" not null,
  claimed_at timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz,
  moving_to text collate "C",
  moved_from text collate "C",
  move_attempt uuid,
  check (num_nonnulls(moving_to, moved_from) = num_nonnulls(move_attempt))
)`)
        yield* sql.unsafe(`create index if not exists merchant_place_cell_idx on ${name}.merchant_place (cell)`)
        yield* sql.unsafe(`create index if not exists merchant_place_move_idx on ${name}.merchant_place (merchant_id)
  where move_attempt is not null`)
        yield* sql.unsafe(`create table if not exists ${name}.key_place (
  hash text collate "C" primary key,
  merchant_id text collate "C" not null
)`)
        yield* sql.unsafe(`create table if not exists ${name}.person_copy (
  user_id text collate "C" not null,
  environment text collate "C" not null,
  cell text collate "C" not null,
  primary key (user_id, environment, cell)
)`)
        yield* sql.unsafe(`create table if not exists ${name}.person_erasure (
  service_id text collate "C" not null,
  environment text collate "C" not null,
  pseudonym text collate "C" not null,
  primary key (service_id, environment)
)`)
        yield* sql.unsafe(`create table if not exists ${name}.person_change (
  id uuid primary key default gen_random_uuid(),
  user_id text collate "C" not null,
  environment text collate "C" not null,
  source text collate "C" not null,
  began_at timestamptz not null default clock_timestamp()
)`)
        yield* sql.unsafe(`create index if not exists person_change_began_idx on ${name}.person_change (began_at, id)`)
        yield* sql.unsafe(`create index if not exists person_change_person_idx on ${name}.person_change (user_id)`)
      })
    )
  })
