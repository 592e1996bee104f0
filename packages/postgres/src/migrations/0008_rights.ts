import { appendOnlyTriggers, type Migration, perEnvironment } from "./Migration.js"

/**
 * People's rights requests. A person has at most one open request of each kind.
 *
 * Also limits on the data that a compromised server can remove. They belong to the tables' owner. `take_reads` and
 * `erase_person` enforce them, and each erasure is recorded with the database's time.
 */
export const migration: Migration = {
  id: 8,
  name: "rights",
  statements: (schema) => [
    `create table ${schema}.rights_request (
  id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  kind text collate "C" not null,
  note text,
  status text collate "C" not null,
  asked_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  closed_at timestamptz(3),
  closed_by text,
  constraint rights_request_pkey primary key (id),
  constraint rights_request_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint rights_request_environment_check check (environment in ('TEST', 'LIVE')),
  constraint rights_request_kind_check check (kind in ('EXPORT', 'RECTIFY', 'ERASE')),
  constraint rights_request_status_check check (status in ('OPEN', 'DONE', 'REFUSED')),
  constraint rights_request_note_check check (length(note) between 1 and 500),
  constraint rights_request_due_check check (due_at > asked_at),
  constraint rights_request_closed_check
    check ((status = 'OPEN') = (closed_at is null) and (closed_by is null or closed_at is not null))
)`,
    `create unique index rights_request_open_key on ${schema}.rights_request (user_id, environment, kind)
  where status = 'OPEN'`,
    `create index rights_request_person_idx on ${schema}.rights_request (user_id, environment)`,
    `create index rights_request_due_idx on ${schema}.rights_request (environment, due_at) where status = 'OPEN'`,
    `create index rights_request_closed_idx on ${schema}.rights_request (closed_at, id) where closed_at is not null`,
    ...perEnvironment(schema, "rights_request", "", "asked_at, id"),
    ...perEnvironment(schema, "rights_request", "status", "status, asked_at, id"),
    `create table ${schema}.owner_bound (
  name text collate "C" not null,
  value integer not null,
  constraint owner_bound_pkey primary key (name),
  constraint owner_bound_name_check check (name in ('reads_kept_days', 'erasures_a_day')),
  constraint owner_bound_value_check check (value >= 0)
)`,
    `insert into ${schema}.owner_bound (name, value) values ('reads_kept_days', 30), ('erasures_a_day', 1000)`,
    `create table ${schema}.erasure (
  pseudonym text collate "C" not null,
  environment text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  constraint erasure_environment_check check (environment in ('TEST', 'LIVE'))
)`,
    `create index erasure_at_idx on ${schema}.erasure (at)`,
    ...appendOnlyTriggers(schema, "erasure")
  ]
}
