import type { Migration } from "./Migration.js"

/**
 * Rate-limit buckets, and the ids of the secret keys used with this database. A key's `canary` is a known text sealed
 * under it.
 *
 * Buckets are unlogged, so a lease never waits for a flush to disk. A crash empties the table, which refills every
 * bucket. A secret key that has been declared lost is no longer required at startup.
 */
export const migration: Migration = {
  id: 6,
  name: "limits_and_secrets",
  statements: (schema) => [
    `create unlogged table ${schema}.rate_limit (
  name text collate "C" not null,
  key text collate "C" not null,
  full_at timestamptz not null,
  constraint rate_limit_pkey primary key (name, key)
) with (fillfactor = 50)`,

    `create table ${schema}.secret_key (
  key_id text collate "C" not null,
  canary bytea,
  lost boolean not null default false,
  first_used_at timestamptz(3) not null default now(),
  constraint secret_key_pkey primary key (key_id),
  constraint secret_key_canary_check check (lost or canary is not null)
)`
  ]
}
