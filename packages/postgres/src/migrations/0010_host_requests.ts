import type { Migration } from "./Migration.js"

/**
 * The host's outbox. A host inserts `key`, `kind`, `payload` and `queue` in any transaction, with any library. The
 * trigger overwrites every other column, so a role with the insert privilege controls nothing else.
 *
 * A request identical to a stored one is skipped. A different request with the same key fails. If two inserts of a key
 * race, the second fails, unless both are identical and have a queue. `on conflict do nothing` would hide that failure,
 * but PostgreSQL rejects the clause, because the constraint is deferrable. Inserts into one queue wait for each other's
 * commit, so the ids in a queue follow the order of commits.
 */
export const migration: Migration = {
  id: 10,
  name: "host_requests",
  statements: (schema) => [
    `create sequence ${schema}.requests_id_seq`,
    `create table ${schema}.requests (
  id bigint not null,
  key text collate "C" not null,
  kind text collate "C" not null,
  payload jsonb,
  queue text collate "C",
  fingerprint bytea not null,
  person text collate "C",
  environment text collate "C",
  status text collate "C" not null default 'PENDING',
  attempts integer not null default 0,
  result jsonb,
  error jsonb,
  created_at timestamptz(3) not null default clock_timestamp(),
  due_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  leased_until timestamptz(3),
  fence integer not null default 0,
  constraint requests_pkey primary key (key) deferrable initially immediate,
  constraint requests_key_check check (key ~ '^[\\x20-\\x7e]{1,200}$'),
  constraint requests_kind_check check (length(kind) between 1 and 64),
  constraint requests_queue_check check (length(queue) between 1 and 200),
  constraint requests_payload_check
    check (payload is null or (jsonb_typeof(payload) = 'object' and octet_length(payload::text) <= 65536)),
  constraint requests_status_check check (status in ('PENDING', 'DONE', 'FAILED')),
  constraint requests_ended_check check ((status = 'PENDING') = (ended_at is null)),
  constraint requests_pending_check check ((status = 'PENDING') = (payload is not null))
)`,
    `create index requests_due_idx on ${schema}.requests (due_at, id) where status = 'PENDING'`,
    `create index requests_queue_idx on ${schema}.requests (queue, id) where status = 'PENDING' and queue is not null`,
    `create index requests_created_idx on ${schema}.requests (created_at) where status = 'PENDING'`,
    `create index requests_ended_idx on ${schema}.requests (ended_at) where ended_at is not null`,
    `create index requests_person_idx on ${schema}.requests (person, environment) where person is not null`,
    `create function ${schema}.take_request() returns trigger
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known bytea;
begin
  if new.queue is not null then
    perform pg_advisory_xact_lock(hashtextextended('${schema}.requests ' || new.queue, 0));
  end if;
  new.fingerprint := sha256(convert_to(json_build_array(new.kind, new.queue, new.payload)::text, 'UTF8'));
  select r.fingerprint into known from ${schema}.requests r where r.key = new.key;
  if found then
    if known = new.fingerprint then
      return null;
    end if;
    raise exception 'another request has the key %', new.key
      using errcode = 'unique_violation', constraint = 'requests_pkey',
        hint = 'Its kind, payload or queue differ. A key names one request for good.';
  end if;
  new.id := nextval('${schema}.requests_id_seq');
  new.person := new.payload ->> 'userId';
  new.environment := new.payload ->> 'environment';
  new.status := 'PENDING';
  new.attempts := 0;
  new.result := null;
  new.error := null;
  new.created_at := clock_timestamp();
  new.due_at := new.created_at;
  new.ended_at := null;
  new.leased_until := null;
  new.fence := 0;
  return new;
end
$$`,
    `create trigger requests_taken before insert on ${schema}.requests
  for each row execute function ${schema}.take_request()`
  ]
}
