import type { Migration } from "./Migration.js"

/**
 * `RateLimitStore.lease`: a function, so that asking is one round trip. Its arithmetic is that of the core's
 * `TokenBucket.take`, by the server's clock, which is read once the row is locked: who waited for the lock would else
 * give what has come since as if it had not.
 */
const leaseTokens = (schema: string): string => `create function ${schema}.lease_tokens(
  limit_name text,
  bucket_key text,
  per_second double precision,
  burst integer,
  needed integer,
  wanted integer
) returns table (tokens integer, remaining integer, wait_millis integer) language plpgsql volatile as $$
declare
  tolerance constant double precision := 1e-6;
  full_when timestamptz;
  moment timestamptz;
  level double precision;
begin
  loop
    select b.full_at into full_when from ${schema}.rate_limit b
    where b.name = limit_name and b.key = bucket_key for update;
    exit when found;
    insert into ${schema}.rate_limit (name, key, full_at) values (limit_name, bucket_key, clock_timestamp())
    on conflict do nothing;
  end loop;
  moment := clock_timestamp();
  level := burst - least(burst, greatest(0, extract(epoch from full_when - moment)::double precision * per_second));
  tokens := least(floor(level + tolerance), greatest(needed, least(wanted, floor(level / 2))));
  level := level - tokens;
  remaining := greatest(0, floor(level + tolerance));
  wait_millis := case when remaining > 0 then 0 else ceil((1 - level) / per_second * 1000) end;
  update ${schema}.rate_limit b set full_at = moment + make_interval(secs => (burst - level) / per_second)
  where b.name = limit_name and b.key = bucket_key;
  return next;
end
$$`

/**
 * The buckets of the rate limits. Unlogged: a lease waits for no flush to the disk, and a bucket is worth nothing after
 * a crash, which leaves the table empty, every bucket full.
 */
export const migration: Migration = {
  id: 9,
  name: "rate_limits",
  statements: (schema) => [
    `create unlogged table ${schema}.rate_limit (
  name text collate "C" not null,
  key text collate "C" not null,
  full_at timestamptz not null,
  constraint rate_limit_pkey primary key (name, key)
) with (fillfactor = 50)`,
    leaseTokens(schema)
  ]
}
