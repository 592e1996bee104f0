import { lockWithRetries } from "./lockWithRetries.js"
import { firstCheckOf, firstOf, monthColumnOf, type PartitionedTable, restOf } from "./partitionedTables.js"

/**
 * Builds SQL that adds a constraint against rows outside the range of the first partition. `validateStatement`
 * validates it before the table is locked, so the lock does not have to cover a full scan.
 */
export const checkStatement = (schema: string, table: PartitionedTable, bound: string): string =>
  `alter table ${schema}.${table} add constraint ${firstCheckOf(table)} check (${monthColumnOf(table)} < '${bound}') not valid`

export const validateStatement = (schema: string, table: PartitionedTable): string =>
  `alter table ${schema}.${table} validate constraint ${firstCheckOf(table)}`

export const dropCheckStatement = (schema: string, table: PartitionedTable): string =>
  `alter table if exists ${schema}.${table} drop constraint if exists ${firstCheckOf(table)}`

/**
 * Builds SQL that replaces `table` with a partitioned table. The old table becomes its first partition. Run it in its
 * own transaction. Until it takes the locks it only creates tables and renames indexes, which blocks no reads or
 * writes. With the locks held, it makes only short catalog changes.
 *
 * Everything is read from the catalog, so additions by later releases are carried over too. These include columns,
 * constraints, indexes, foreign keys in both directions, triggers, privileges and the owner. Foreign keys that
 * reference the table are added unvalidated, so they check only new rows. `validateReferences` checks the existing rows
 * later.
 *
 * A foreign key from one partitioned table to another is declared on each referencing partition, not on their parent.
 * `rewriteStatement` must drop such keys and add them again unvalidated. PostgreSQL before 18 cannot do that on a
 * partitioned table.
 */
export const swapStatement = (schema: string, table: PartitionedTable, bound: string): string => {
  const [first, next, rest, check] = [firstOf(table), `${table}_next`, restOf(table), firstCheckOf(table)]
  return `do $partition$
declare
  old constant oid := '${schema}.${table}'::regclass;
  schema_name constant text := (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = old);
  old_place constant text := format('%I.%I', schema_name, '${table}');
  pointing jsonb;
  locks text[];
  lock_text text;
  item record;
begin
  if (select c.relkind from pg_class c where c.oid = old) = 'p' then
    return;
  end if;
  create table ${schema}.${next} (like ${schema}.${table} including all excluding indexes) partition by range (${monthColumnOf(table)});
  alter table ${schema}.${next} drop constraint ${check};
  for item in select c.relowner::regrole as owner from pg_class c where c.oid = old loop
    execute format('alter table ${schema}.${next} owner to %s', item.owner);
  end loop;
  for item in
    select k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k where k.conrelid = old and k.contype in ('p', 'u') order by k.conname
  loop
    execute format('alter index ${schema}.%I rename to %I', item.name, item.name || '_first');
    execute format('alter table ${schema}.${next} add constraint %I %s', item.name, item.definition);
  end loop;
  for item in
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = old and not exists (
      select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = old and k.contype in ('p', 'u')
    )
    order by c.relname
  loop
    execute format('alter index ${schema}.%I rename to %I', item.name, item.name || '_first');
    execute replace(item.definition, format(' ON %s ', old_place), ' ON ${schema}.${next} ');
  end loop;
  create table ${schema}.${rest} partition of ${schema}.${next} default;
  for item in
    select pg_get_triggerdef(g.oid) as definition, s.place
    from pg_trigger g
    cross join (values ('${schema}.${next}', true), ('${schema}.${rest}', false)) s (place, is_parent)
    -- PostgreSQL gives a partition its parent's triggers for rows, but not those for statements.
    where g.tgrelid = old and not g.tgisinternal and (s.is_parent or g.tgtype & 1 = 0)
    order by s.is_parent desc, g.tgname
  loop
    execute replace(item.definition, format(' ON %s FOR', old_place), format(' ON %s FOR', item.place));
  end loop;
  for item in
    select a.privilege_type as verb, '' as columns, a.grantee, a.is_grantable
    from pg_class c cross join lateral aclexplode(c.relacl) a where c.oid = old and a.grantee <> c.relowner
    union all
    select a.privilege_type, format('(%I)', t.attname), a.grantee, a.is_grantable
    from pg_attribute t cross join lateral aclexplode(t.attacl) a where t.attrelid = old and not t.attisdropped
  loop
    execute format('grant %s %s on ${schema}.${next} to %s%s', item.verb, item.columns,
      case item.grantee when 0 then 'public' else item.grantee::regrole::text end,
      case when item.is_grantable then ' with grant option' else '' end);
  end loop;

  select coalesce(jsonb_agg(jsonb_build_object('place', k.conrelid::regclass::text, 'name', k.conname,
    'definition', pg_get_constraintdef(k.oid)) order by k.conrelid::regclass::text, k.conname), '[]')
  into pointing from pg_constraint k where k.confrelid = old and k.contype = 'f' and k.conparentid = 0;
  -- Adding a foreign key locks the referenced table against writes. Attaching drops the old table's triggers on the
  -- referenced table. Unless that table is partitioned, this locks it against reads too. Dropping a foreign key locks
  -- the table that has it.
  select array_agg(l.text order by l.rank, l.text) into locks from (
    select 1 as rank, format('lock table %s in %s mode', k.confrelid::regclass,
      case c.relkind when 'p' then 'share row exclusive' else 'access exclusive' end) as text
    from pg_constraint k join pg_class c on c.oid = k.confrelid
    where k.conrelid = old and k.contype = 'f' and k.conparentid = 0
    union select 2, 'lock table ${schema}.${table} in access exclusive mode'
    union select 3, format('lock table %s in access exclusive mode', r.place)
    from jsonb_to_recordset(pointing) r (place text)
  ) l;
  -- Writes lock a referenced table before the referencing one, so these locks are taken in that order. Statements
  -- queue behind a waiting lock, so each wait is short, and a failed attempt releases every lock.
  set local lock_timeout = '20ms';
  ${lockWithRetries(`foreach lock_text in array locks loop
        execute lock_text;
      end loop;`)}
  set local lock_timeout = '10ms';
  if not exists (
    select from pg_constraint k where k.conrelid = old and k.conname = '${check}' and k.convalidated
  ) then
    raise exception 'another process has changed ${table} meanwhile: run the command again';
  end if;
  for item in
    select k.conname as name, pg_get_constraintdef(k.oid) as definition,
      case c.relkind when 'p' then '${rest}' else '${next}' end as place
    from pg_constraint k join pg_class c on c.oid = k.confrelid
    where k.conrelid = old and k.contype = 'f' and k.conparentid = 0 order by k.conname
  loop
    execute format('alter table ${schema}.%I add constraint %I %s', item.place, item.name, item.definition);
  end loop;
  for item in select r.* from jsonb_to_recordset(pointing) r (place text, name text) loop
    execute format('alter table %s drop constraint %I', item.place, item.name);
  end loop;
  -- The new table's identity values continue after the last value of the old table.
  for item in
    select a.attname as name, pg_get_serial_sequence(old_place, a.attname) as sequence,
      pg_get_serial_sequence('${schema}.${next}', a.attname) as next_sequence
    from pg_attribute a where a.attrelid = old and a.attidentity <> '' and not a.attisdropped
  loop
    perform setval(item.next_sequence::regclass, l.value)
    from (select pg_sequence_last_value(item.sequence::regclass) as value) l where l.value is not null;
    execute format('alter table ${schema}.${table} alter column %I drop identity', item.name);
    execute format('alter sequence %s rename to %I', item.next_sequence,
      (parse_ident(item.sequence))[cardinality(parse_ident(item.sequence))]);
  end loop;
  for item in
    select g.tgname as name from pg_trigger g where g.tgrelid = old and not g.tgisinternal and g.tgtype & 1 = 1
  loop
    execute format('drop trigger %I on ${schema}.${table}', item.name);
  end loop;
  alter table ${schema}.${table} rename to ${first};
  alter table ${schema}.${next} rename to ${table};
  alter table ${schema}.${table} attach partition ${schema}.${first} for values from (minvalue) to ('${bound}');
  alter table ${schema}.${first} drop constraint ${check};
  for item in select r.* from jsonb_to_recordset(pointing) r (place text, name text, definition text) loop
    execute format('alter table %s add constraint %I %s not valid', item.place, item.name, item.definition);
  end loop;
end
$partition$`
}
