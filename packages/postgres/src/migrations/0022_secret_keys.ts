import type { Migration } from "./Migration.js"

/**
 * Which secret keys the database was used with. One that its operator has declared lost is no longer asked for. The index finds the ids of those that sealed links, however many.
 */
export const migration: Migration = {
  id: 22,
  name: "secret_keys",
  statements: (schema) => [
    `create table ${schema}.secret_key (
  key_id text collate "C" not null,
  canary bytea,
  lost boolean not null default false,
  first_used_at timestamptz(3) not null default now(),
  constraint secret_key_pkey primary key (key_id),
  constraint secret_key_canary_check check (lost or canary is not null)
)`,
    `create index data_request_link_key on ${schema}.data_request (link_key_id) where link_key_id is not null`
  ]
}
