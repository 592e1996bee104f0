import type { SqlFunction } from "../migrations/Migration.js"

/**
 * Implements `RateLimitStore.lease` in one round trip, with the same arithmetic as core's `TokenBucket.take`. The clock
 * is read after the row is locked. An earlier reading would miss tokens that arrived during the wait.
 */
export const leaseTokensFunction: SqlFunction = {
  name: "lease_tokens",
  definition: (
    schema
  ) => `create or replace function ${schema}.lease_tokens(demand json) returns table (tokens integer, remaining integer, wait_millis integer) language plpgsql volatile as $$
declare
  limit_name text;
  bucket_key text;
  per_second double precision;
  burst integer;
  needed integer;
  wanted integer;
  tolerance constant double precision := 1e-6;
  full_when timestamptz;
  moment timestamptz;
  level double precision;
begin
  select * into limit_name, bucket_key, per_second, burst, needed, wanted
  from json_to_record(demand) as (
    limit_name text, bucket_key text, per_second double precision, burst integer, needed integer, wanted integer
  );
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
}
