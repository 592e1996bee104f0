import type { Migration } from "./Migration.js"

/** Archived parts of months, and the progress of each part. */
export const migration: Migration = {
  id: 11,
  name: "archive",
  statements: (schema) => [
    // A part consists of events of one month that are archived together. `WRITING`: nothing has been removed yet.
    // `REMOVING`: its files are verified, and its rows may be removed. `REMOVED`: the removal has ended. `RESTORING`:
    // no more rows are removed.
    `create table ${schema}.archive_part (
  id uuid not null,
  month date not null,
  status text collate "C" not null,
  begun_by text collate "C" not null,
  begun_at timestamptz(3) not null default now(),
  manifest_hash text collate "C",
  ended_at timestamptz(3),
  constraint archive_part_pkey primary key (id),
  constraint archive_part_month_check check (extract(day from month) = 1),
  constraint archive_part_status_check check (status in ('WRITING', 'REMOVING', 'REMOVED', 'RESTORING')),
  constraint archive_part_hash_check check ((status = 'WRITING') = (manifest_hash is null)),
  constraint archive_part_ended_check check ((status = 'REMOVED') = (ended_at is not null))
)`,
    `create unique index archive_part_open_key on ${schema}.archive_part (month) where status in ('WRITING', 'REMOVING')`,
    // Removing an event checks every table that may reference it. These indexes serve the checks.
    `create index consent_grant_event_idx on ${schema}.consent_grant (event_id)`,
    `create index consent_grant_end_event_idx on ${schema}.consent_grant (end_event_id) where end_event_id is not null`,
    `create index data_request_event_idx on ${schema}.data_request (event_id) where event_id is not null`,
    `create index verification_event_idx on ${schema}.verification (event_id) where event_id is not null`
  ]
}
