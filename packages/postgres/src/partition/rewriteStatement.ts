import { lockWithRetries } from "./lockWithRetries.js"
import { leastUuid } from "./makePartitionsFunction.js"
import { type PartitionedTable, partitionedTables } from "./partitionedTables.js"

const tables = partitionedTables.map((table) => `'${table}'`).join(", ")

/**
 * Builds SQL that creates an empty copy of a partition, unless the partition itself is empty. Run it in its own
 * transaction, so that the tables referenced by the copy's foreign keys are locked only briefly. The keys then exist
 * before the copy is attached.
 */
export const prepareRewriteStatement = (schema: string, partition: string): string => `do $prepare$
declare
  old constant oid := '${schema}.${partition}'::regclass;
  place constant text := (
    select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = old
  );
  item record;
begin
  drop table if exists ${schema}.${partition}_next;
  if not exists (select from ${schema}.${partition}) then
    return;
  end if;
  create table ${schema}.${partition}_next (like ${schema}.${partition} including all excluding identity);
  execute format('alter table ${schema}.${partition}_next add constraint ${partition}_bounds check (%s)',
    pg_get_partition_constraintdef(old));
  for item in
    select pg_get_triggerdef(g.oid) as definition from pg_trigger g
    where g.tgrelid = old and not g.tgisinternal and g.tgtype & 1 = 0
  loop
    execute replace(item.definition, format(' ON %s FOR', place), ' ON ${schema}.${partition}_next FOR');
  end loop;
  for item in
    select k.conname as name, pg_get_constraintdef(k.oid) as definition from pg_constraint k
    where k.conrelid = old and k.contype = 'f'
      -- A foreign key to a partitioned table has a child constraint for each of that table's partitions. Skip the
      -- children.
      and not exists (select from pg_constraint o where o.oid = k.conparentid and o.conrelid = old)
    order by k.conname
  loop
    execute format('alter table ${schema}.${partition}_next add constraint %I %s', item.name, item.definition);
  end loop;
end
$prepare$`

/**
 * Builds SQL that replaces a partition with a copy of its remaining rows, to shrink its files. First run
 * `prepareRewriteStatement`, then this SQL in its own transaction. A partition that was empty during preparation is
 * dropped. If it has rows now, the SQL fails. Updates and deletes that lock this partition wait for the entire copy,
 * and many lock every partition. Reads, and inserts into other partitions, wait only for the catalog change at the
 * end. Foreign keys that reference the table or this partition are added again unvalidated. Keys that referenced a
 * dropped partition then reference the table.
 */
export const rewriteStatement = (schema: string, table: PartitionedTable, partition: string): string => `do $rewrite$
declare
  bounds constant text := (
    select pg_get_expr(c.relpartbound, c.oid) from pg_class c where c.oid = '${schema}.${partition}'::regclass
  );
  place constant text := (
    select format(' REFERENCES %I.%I(', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid = '${schema}.${partition}'::regclass
  );
  parent_place constant text := (
    select format(' REFERENCES %I.%I(', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid = '${schema}.${table}'::regclass
  );
  prepared constant boolean := to_regclass('${schema}.${partition}_next') is not null;
  pointing jsonb;
  item record;
begin
  lock table ${schema}.${partition} in share row exclusive mode;
  if prepared then
    insert into ${schema}.${partition}_next overriding system value select * from ${schema}.${partition};
  elsif exists (select from ${schema}.${partition}) then
    raise exception '% has rows meanwhile: run the command again', '${partition}';
  end if;

  -- Updates of the partition wait meanwhile. A statement that waits for the partition holds a lock on the table for as long.
  ${lockWithRetries(
    `lock table ${schema}.${table} in access exclusive mode;`,
    `exists (
        select from pg_locks l join pg_database b on b.oid = l.database and b.datname = current_database()
        where l.relation = '${schema}.${partition}'::regclass and not l.granted
      )`
  )}
  set local lock_timeout = '10ms';
  select coalesce(jsonb_agg(jsonb_build_object('place', k.conrelid::regclass::text, 'name', k.conname,
    'definition', replace(case when prepared then d.text else replace(d.text, place, parent_place) end, ' NOT VALID', ''))
    order by k.conrelid::regclass::text, k.conname), '[]')
  into pointing
  from pg_constraint k cross join lateral (select pg_get_constraintdef(k.oid) as text) d
  where k.confrelid in ('${schema}.${table}'::regclass, '${schema}.${partition}'::regclass)
    and k.contype = 'f' and k.conparentid = 0;
  for item in select r.* from jsonb_to_recordset(pointing) r (place text, name text) loop
    execute format('alter table %s drop constraint %I', item.place, item.name);
  end loop;
  alter table ${schema}.${table} detach partition ${schema}.${partition};
  drop table ${schema}.${partition};
  if prepared then
    alter table ${schema}.${partition}_next rename to ${partition};
    execute format('alter table ${schema}.${table} attach partition ${schema}.${partition} %s', bounds);
    alter table ${schema}.${partition} drop constraint ${partition}_bounds;
  end if;
  for item in select r.* from jsonb_to_recordset(pointing) r (place text, name text, definition text) loop
    execute format('alter table %s add constraint %I %s not valid', item.place, item.name, item.definition);
  end loop;
end
$rewrite$`

/**
 * Builds SQL that selects the partitions that ended before a given time, as `parent` and `name`. The partitions of a
 * table come before those of the tables that it refers to.
 */
export const endedPartitions = (schema: string, before: string): string => `
  select t.relname as parent, p.relname as name
  from pg_class t
  join pg_inherits i on i.inhparent = t.oid
  join pg_class p on p.oid = i.inhrelid
  where t.relnamespace = to_regnamespace('"${schema}"') and t.relname in (${tables}) and t.relkind = 'p' and p.relkind = 'r'
    and (regexp_match(pg_get_expr(p.relpartbound, p.oid), 'TO \\(''([0-9a-f-]{36})''\\)'))[1]::uuid < ${leastUuid(`(${before})`)}
  order by array_position(array[${tables}], t.relname::text) desc, 2`
