import { type Migration, perEnvironment } from "./Migration.js"

/**
 * The request log. It is unlogged, so writes do not wait for a flush to disk, and a crash of the database empties it.
 * It has no foreign keys, which would lock merchants and keys.
 */
export const migration: Migration = {
  id: 9,
  name: "requests",
  statements: (schema) => [
    `create unlogged table ${schema}.request_entry (
  id bigint not null generated always as identity,
  merchant_id uuid not null,
  environment text collate "C" not null,
  api_key_id uuid not null,
  key_last4 text not null,
  method text not null,
  route text collate "C",
  status smallint not null,
  code text,
  request_id text not null,
  at timestamptz(3) not null,
  constraint request_entry_environment_check check (environment in ('TEST', 'LIVE')),
  constraint request_entry_status_check check (status between 100 and 599)
)`,
    ...perEnvironment(schema, "request_entry", "", "merchant_id, id"),
    ...perEnvironment(schema, "request_entry", "status", "merchant_id, status, id"),
    ...perEnvironment(schema, "request_entry", "route", "merchant_id, route, id"),
    `create index request_entry_at_idx on ${schema}.request_entry (at)`
  ]
}
