import type { SqlFunction } from "../migrations/Migration.js"

/**
 * Deletes at most `most` reads from before `before`, the oldest first, and returns how many. The only way to delete from a
 * table that is appended only: the triggers ask whether this function is at work.
 */
export const takeReadsFunction: SqlFunction = {
  name: "take_reads",
  definition: (schema) => `create or replace function ${schema}.take_reads(before timestamptz, most integer)
  returns integer language plpgsql volatile
as $$
declare
  taken integer;
begin
  perform set_config('surety.retained', 'identity_read', true);
  delete from ${schema}.identity_read i
  using (
    select o.id, o.merchant_id, o.environment from ${schema}.identity_read o
    where o.read_at < before order by o.read_at, o.id limit most for update skip locked
  ) old
  where i.id = old.id and i.merchant_id = old.merchant_id and i.environment = old.environment;
  get diagnostics taken = row_count;
  perform set_config('surety.retained', '', true);
  return taken;
end
$$`
}
