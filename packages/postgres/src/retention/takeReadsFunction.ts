import type { SqlFunction } from "../migrations/Migration.js"

/**
 * Deletes up to `most` reads older than `before`, oldest first, and returns the count. It never deletes reads younger
 * than the tables' owner permits (`owner_bound`), since a compromised server could pass any `before`. Triggers refuse
 * every other delete of reads, except for the removal of a merchant that has moved. The function runs with its owner's
 * privileges, so the serving role needs no `delete` privilege.
 */
export const takeReadsFunction: SqlFunction = {
  name: "take_reads",
  definition: (schema) => `create or replace function ${schema}.take_reads(before timestamptz, most integer)
  returns integer language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  kept integer;
  taken integer;
begin
  -- Fails if the bound is missing, so nothing is deleted.
  select b.value into strict kept from ${schema}.owner_bound b where b.name = 'reads_kept_days';
  -- Selects from a table, so that Citus applies the setting on the node whose triggers read it.
  perform set_config('surety.retained', 'identity_read', true)
  from ${schema}.owner_bound b where b.name = 'reads_kept_days';
  delete from ${schema}.identity_read i
  using (
    select o.id, o.merchant_id, o.environment from ${schema}.identity_read o
    where o.read_at < least(before, now() - make_interval(days => kept)) order by o.read_at, o.id limit most for update skip locked
  ) old
  where i.id = old.id and i.merchant_id = old.merchant_id and i.environment = old.environment;
  get diagnostics taken = row_count;
  perform set_config('surety.retained', '', true) from ${schema}.owner_bound b where b.name = 'reads_kept_days';
  return taken;
end
$$;
revoke all on function ${schema}.take_reads(timestamptz, integer) from public`
}
