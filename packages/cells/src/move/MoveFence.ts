import { Data, Effect, Schedule, Schema } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type CellDatabase, stateOf } from "../CellDatabase.js"
import { type MovingTable, moving } from "./MoveTables.js"

/**
 * Phase of a merchant's departure from a cell, enforced by the cell's fence. The fence consists of a trigger on every
 * moving table and the schema that these triggers read.
 *
 * A write takes a shared lock on its merchant and then checks whether the merchant is leaving. A move takes the
 * exclusive lock to enter `COPYING`, `CLOSING` or `CLOSED`. It thus waits for the merchant's writes that have not seen
 * the new phase, but not for other merchants' writes. After `CLOSED`, `LEFT` needs no lock. `clearCell` enters `LEFT`
 * from any state, so it takes the lock. The database enforces the fence, regardless of what a process has cached from
 * the directory.
 *
 * The move's own writes always pass. `COPYING` lets all other writes pass and notes them. `CLOSING` lets only those in
 * `settles` pass, and notes them. `CLOSED` and `LEFT` let none pass. A write in `dropped` that does not pass is
 * skipped, so that its statement still stores other merchants' rows. Any other write that does not pass is refused with
 * the error code of an unavailable lock.
 */
export type DeparturePhase = "COPYING" | "CLOSING" | "CLOSED" | "LEFT"

/**
 * Proof that an attempt has locked the arrival, so no other attempt can take it. `Departure.open` and
 * `Departure.reopen` require it. Only `Arrival` creates one.
 */
export class ArrivalHeld extends Data.Class<{ readonly attempt: string }> {}

export const triggerName = "surety_move_guard"

/** Due time of parked work: later than any time that a worker compares it with. */
export const parkedUntil = "9999-12-31T00:00:00Z"

/** Work due from this time on is parked. A test clock may bring parked work forward, by 400 days at most. */
export const parkedFrom = "9990-01-01T00:00:00Z"

/** Returns SQL for a merchant's advisory lock key. `merchant` is SQL for the id. */
export const lockOf = (moves: string, merchant: string): string => `hashtextextended('${moves} ' || ${merchant}, 0)`

/** Writes still allowed for a `CLOSING` merchant, to finish deliveries and platform events in flight. */
const settles: Readonly<Record<string, string>> = {
  delivery: "tg_op = 'UPDATE'",
  delivery_attempt: "tg_op = 'INSERT'",
  webhook_endpoint:
    "tg_op = 'UPDATE' and new.url = old.url and new.topics = old.topics and new.secrets = old.secrets and new.removed_at is null",
  platform_outbox: "tg_op = 'DELETE'",
  platform_stream: "true"
}

/**
 * Writes that are dropped rather than refused. Their statement may also contain other merchants' rows, and no response
 * depends on them.
 */
const dropped: Readonly<Record<string, string>> = {
  request_entry: "true",
  api_key: "tg_op = 'UPDATE' and to_jsonb(new) - 'last_used_at' = to_jsonb(old) - 'last_used_at'"
}

const keyOf = ({ key }: MovingTable, row: string): string =>
  `jsonb_build_object(${key.map((column) => `'${column}', ${row}.${column}`).join(", ")})`

const guardOf = (table: MovingTable, schema: string, moves: string): string => {
  const [tables, own] = [`"${schema}"`, `"${moves}"`]
  const { merchantOf, name } = table
  return `create or replace function ${own}.guard_${name}() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  merchant uuid;
  phase text;
begin
  if tg_op = 'DELETE' then
    merchant := ${merchantOf("old", tables)};
  else
    merchant := ${merchantOf("new", tables)};
  end if;
  if merchant is not null and current_setting('surety.mover', true) is distinct from merchant::text then
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'a cell is written to by transactions that are read committed' using errcode = 'feature_not_supported';
    end if;
    perform pg_advisory_xact_lock_shared(${lockOf(moves, "merchant")});
    select d.phase into phase from ${own}.departure d where d.merchant_id = merchant;
    if phase = 'COPYING' or phase = 'CLOSING' and (${settles[name] ?? "false"}) then
      if tg_op <> 'INSERT' then
        insert into ${own}.change (merchant_id, table_name, key) values (merchant, '${name}', ${keyOf(table, "old")});
      end if;
      if tg_op <> 'DELETE' then
        insert into ${own}.change (merchant_id, table_name, key) values (merchant, '${name}', ${keyOf(table, "new")});
      end if;
    elsif phase is not null then
      if ${dropped[name] ?? "false"} then
        return null;
      end if;
      raise exception 'the merchant is moving to another cell' using errcode = 'lock_not_available';
    end if;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end
$$`
}

const tablesOf = (moves: string): ReadonlyArray<string> => [
  `create schema if not exists "${moves}"`,
  `create table if not exists "${moves}".departure (
  merchant_id uuid primary key,
  to_cell text collate "C" not null,
  phase text collate "C" not null check (phase in ('COPYING', 'CLOSING', 'CLOSED', 'LEFT')),
  attempt uuid not null
)`,
  `create table if not exists "${moves}".change (
  id bigint generated always as identity primary key,
  merchant_id uuid not null,
  table_name text collate "C" not null,
  key jsonb not null
)`,
  `create index if not exists change_merchant_idx on "${moves}".change (merchant_id, id)`,
  `create table if not exists "${moves}".parked (
  merchant_id uuid not null,
  table_name text collate "C" not null,
  key jsonb not null,
  until timestamptz(3),
  primary key (merchant_id, table_name, key)
)`,
  `create table if not exists "${moves}".arrival (
  merchant_id uuid primary key,
  from_cell text collate "C" not null,
  phase text collate "C" not null check (phase in ('COPYING', 'REVOKED', 'ARRIVED')),
  attempt uuid not null
)`
]

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Returns true for a lock timeout, a deadlock, or a write that a fence refused. */
export const isBusy = (error: unknown): boolean => isSqlError(error) && ["55P03", "40P01"].includes(stateOf(error))

/** Default number of retries for a lock: about 100 seconds in all if each try waits for `lockTimeoutMillis`. */
export const triesByDefault = 400

/**
 * Retries the effect up to `tries` times, about 50 ms apart, after a lock timeout or a deadlock. Sets no lock timeout:
 * use `insistBriefly` if other transactions would queue behind the effect's wait.
 */
export const insist = <A, E, R>(effect: Effect.Effect<A, E, R>, tries = triesByDefault): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    while: isBusy,
    schedule: Schedule.jittered(Schedule.spaced("50 millis")),
    times: tries
  })

/** Maximum wait for each lock in `insistBriefly`. Other transactions queue behind such a wait. */
export const lockTimeoutMillis = 200

/** Like `insist`, but runs each try in a transaction that waits at most `lockTimeoutMillis` for each lock. */
export const insistBriefly = <A, E, R>(
  sql: CellDatabase["Service"]["sql"],
  effect: Effect.Effect<A, E, R>,
  tries?: number
): Effect.Effect<A, E | SqlError, R> =>
  insist(
    sql.withTransaction(Effect.andThen(sql.unsafe(`set local lock_timeout = ${lockTimeoutMillis}`), effect)),
    tries
  )

/**
 * Installs this release's fence in a cell unless it is already installed. Locks only tables that lack the trigger, one
 * at a time, once they are free.
 */
export const install = Effect.fnUntraced(function* ({ moves, schema, sql }: CellDatabase["Service"]) {
  const statements = [...tablesOf(moves), ...moving.map((table) => guardOf(table, schema, moves))]
  const whole = statements.join(";\n")
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select pg_advisory_xact_lock(hashtextextended(${`surety_moves ${moves}`}, 0))`
      const same = yield* sql`
        select 1 from pg_namespace n where n.nspname = ${moves}
          and obj_description(n.oid, 'pg_namespace') = encode(sha256(convert_to(${whole}, 'UTF8')), 'hex')`
      if (same.length > 0) return
      for (const statement of statements) yield* sql.unsafe(statement)
      yield* sql`select set_config('surety.fence', encode(sha256(convert_to(${whole}, 'UTF8')), 'hex'), true)`
      yield* sql.unsafe(`do $$ begin
        execute format('comment on schema "${moves}" is %L', current_setting('surety.fence'));
      end $$`)
    })
  )
  const bare = yield* Effect.flatMap(
    sql.unsafe(
      `select v.name from unnest($1::text[]) v (name) where not exists (
      select from pg_trigger g where g.tgname = '${triggerName}' and g.tgrelid = to_regclass('"${schema}".' || v.name)
    )`,
      [moving.map(({ name }) => name)]
    ),
    decodeNames
  )
  for (const { name } of bare) {
    yield* insistBriefly(
      sql,
      sql.unsafe(`create or replace trigger ${triggerName} before insert or update or delete
        on "${schema}".${name} for each row execute function "${moves}".guard_${name}()`)
    )
  }
})
