import { stampedTables } from "../role/stampedGrants.js"
import type { SqlFunction } from "./Migration.js"

/** Tables whose rows record the transaction that stored them. */
const stamped = [...stampedTables, "platform_outbox"].map((table) => `'${table}'`).join(", ")

/**
 * Adapts functions and triggers to a schema distributed by Citus. On plain PostgreSQL it does nothing. Returns true if
 * the schema is distributed. Each migration run calls it last. Call it by hand after `citus_schema_distribute`.
 *
 * - A function called outside a transaction runs, with the function's settings, on the node that has the tables.
 * - The entire schema is on that node, so a statement there may call functions on its tables.
 * - Citus does not support generic plans, so plans are custom.
 * - The node that stores a row sets `committed_by`, since readers compare it with that node's snapshots.
 * - Host requests are numbered by a sequence that exists on each node.
 */
export const settleDistributionFunction: SqlFunction = {
  name: "settle_distribution",
  definition: (
    schema
  ) => `create or replace function ${schema}.settle_distribution() returns boolean language plpgsql volatile as $$
declare
  own record;
  is_distributed boolean;
begin
  if to_regclass('pg_catalog.pg_dist_schema') is null then
    return false;
  end if;
  execute 'select exists (select from pg_catalog.pg_dist_schema d where d.schemaid = $1)'
  into is_distributed using to_regnamespace('${schema}')::oid;
  if not is_distributed then
    return false;
  end if;

  for own in
    select p.oid::regprocedure as signature, p.prorettype = 'trigger'::regtype as is_trigger,
      'plan_cache_mode=force_generic_plan' = any (p.proconfig) as is_generic
    from pg_proc p join pg_language l on l.oid = p.prolang
    where p.pronamespace = to_regnamespace('${schema}') and l.lanname = 'plpgsql' and p.proname <> 'settle_distribution'
      and coalesce('citus.allow_nested_distributed_execution=on' = any (p.proconfig), false) is false
    order by 1
  loop
    if own.is_generic then
      execute format('alter function %s set plan_cache_mode = force_custom_plan', own.signature);
    end if;
    execute format('alter function %s set citus.allow_nested_distributed_execution = on', own.signature);
    if not own.is_trigger then
      execute 'select pg_catalog.create_distributed_function($1, colocate_with := $2)'
      using own.signature, '${schema}.merchant';
    end if;
  end loop;

  for own in
    select c.relname as name from pg_class c
    where c.relnamespace = to_regnamespace('${schema}') and c.relkind in ('r', 'p') and c.relname in (${stamped})
      and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = c.relname || '_stamped')
    order by 1
  loop
    execute format(
      'create trigger %I before insert on ${schema}.%I for each row execute function ${schema}.stamp_commit()',
      own.name || '_stamped', own.name
    );
  end loop;

  if not exists (
    select from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.adrelid = '${schema}.requests'::regclass and a.attname = 'id'
  ) then
    alter table ${schema}.requests alter column id set default nextval('${schema}.requests_id_seq');
  end if;
  return true;
end
$$`
}

/** Trigger function that sets `committed_by` in a distributed schema. On plain PostgreSQL, column defaults do this. */
export const stampCommitFunction: SqlFunction = {
  name: "stamp_commit",
  definition: (schema) => `create or replace function ${schema}.stamp_commit() returns trigger language plpgsql as $$
begin
  new.committed_by := pg_current_xact_id()::text;
  return new;
end
$$`
}
