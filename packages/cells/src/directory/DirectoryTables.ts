import { PgClient } from "@effect/sql-pg/PgClient"
import { SchemaName } from "@surety/postgres/PgSettings"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Default schema of the directory. */
export const directorySchema = "surety_directory"

/**
 * Creates the directory's tables in a schema, or adds missing tables, columns and indexes. Concurrent calls wait for
 * each other.
 */
export const migrate = (schema: string = directorySchema): Effect.Effect<void, SqlError, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const name = `"${SchemaName.make(schema)}"`
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`select pg_advisory_xact_lock(hashtextextended(${`surety_cells ${schema}`}, 0))`
        yield* sql.unsafe(`create schema if not exists ${name}`)
        yield* sql.unsafe(`create table if not exists ${name}.cell (
  name text collate "C" primary key,
  place bigint generated always as identity,
  added_at timestamptz not null default clock_timestamp()
)`)
        yield* sql.unsafe(`alter table ${name}.cell add column if not exists identity uuid unique`)
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
        yield* sql.unsafe(`alter table ${name}.merchant_place add column if not exists move_began_at timestamptz`)
        yield* sql.unsafe(`create index if not exists merchant_place_cell_idx on ${name}.merchant_place (cell)`)
        yield* sql.unsafe(`create index if not exists merchant_place_move_idx on ${name}.merchant_place (merchant_id)
  where move_attempt is not null`)
        yield* sql.unsafe(`create table if not exists ${name}.key_place (
  hash text collate "C" primary key,
  merchant_id text collate "C" not null
)`)
        yield* sql.unsafe(`create table if not exists ${name}.named_record (
  name text collate "C" primary key,
  merchant_id text collate "C",
  id text collate "C" not null
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

/**
 * Grants an existing role the privileges that a server needs on the directory, and revokes any others on its tables.
 * The role may read every table, and write every table except `cell`. Run as the tables' owner.
 */
export const grant = (role: string, schema: string = directorySchema): Effect.Effect<void, SqlError, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const [from, to] = [`"${SchemaName.make(schema)}"`, `"${role.replaceAll('"', '""')}"`]
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(`revoke all on all tables in schema ${from} from ${to}`)
        yield* sql.unsafe(`grant usage on schema ${from} to ${to}`)
        yield* sql.unsafe(`grant select, insert, update, delete on all tables in schema ${from} to ${to}`)
        yield* sql.unsafe(`revoke insert, update, delete on ${from}.cell from ${to}`)
      })
    )
  })

/** Returns true if the directory is migrated to this release, judged by one table and two columns. */
export const isMade = (schema: string = directorySchema): Effect.Effect<boolean, SqlError, PgClient> =>
  Effect.gen(function* () {
    const sql = (yield* PgClient).withoutTransforms()
    const rows = yield* sql`select 1 where to_regclass(${`"${SchemaName.make(schema)}".named_record`}) is not null
      and exists (
        select from pg_attribute where attrelid = to_regclass(${`"${SchemaName.make(schema)}".cell`}) and attname = 'identity'
      )
      and exists (
        select from pg_attribute
        where attrelid = to_regclass(${`"${SchemaName.make(schema)}".merchant_place`}) and attname = 'move_began_at'
      )`
    return rows.length > 0
  })
