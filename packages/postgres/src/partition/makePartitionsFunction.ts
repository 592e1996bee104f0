import type { SqlFunction } from "../migrations/Migration.js"
import { literal } from "../role/stampedGrants.js"
import { firstCheckOf, monthsAhead, partitionedTables } from "./partitionedTables.js"

/** SQL of the smallest UUIDv7 of a moment. */
export const leastUuid = (at: string): string =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`

/** SQL of the moment in a UUIDv7. */
export const momentOf = (id: string): string =>
  `to_timestamp(('x0000' || left(replace(${id}::text, '-', ''), 12))::bit(64)::bigint / 1000.0)`

/** Whether a table has a partition for an id, other than the one of the rest. */
export const partitionHoldsFunction: SqlFunction = {
  name: "partition_holds",
  definition: (
    schema
  ) => `create or replace function ${schema}.partition_holds(parent oid, id uuid) returns boolean language sql stable
  set search_path = pg_catalog, pg_temp
return exists (
  select from pg_inherits i
  join pg_class p on p.oid = i.inhrelid
  cross join lateral regexp_match(
    pg_get_expr(p.relpartbound, p.oid), 'FROM \\(''?([^'')]+)''?\\) TO \\(''?([^'')]+)''?\\)'
  ) as held (bounds)
  where i.inhparent = parent
    and case held.bounds[1] when 'MINVALUE' then true else held.bounds[1]::uuid <= id end
    and case held.bounds[2] when 'MAXVALUE' then true else held.bounds[2]::uuid > id end
)`
}

/**
 * Makes a partition for a month of a partitioned table, with the caller's rights. It is made as a table and then
 * attached, so reads and writes of the others continue.
 *
 * A foreign key to another table by month belongs to each partition: here it names the partition of the same month,
 * which has all rows that it can refer to, or the whole table if that one is missing.
 */
export const makePartitionFunction: SqlFunction = {
  name: "make_partition",
  definition: (schema) => `create or replace function ${schema}.make_partition(parent oid, month timestamptz)
  returns void language plpgsql volatile
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
as $$
declare
  bound constant uuid := ${leastUuid("month")};
  bound_after constant uuid := ${leastUuid("month + interval '1 month'")};
  schema_name text;
  name text;
  part text;
  told record;
begin
  select n.nspname, c.relname into strict schema_name, name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = parent;
  part := name || to_char(month, '_YYYY_MM');
  execute format('create table %1$I.%2$I (like %1$I.%3$I including all excluding identity)', schema_name, part, name);
  for told in
    select pg_get_triggerdef(g.oid) as definition from pg_trigger g
    where g.tgrelid = parent and not g.tgisinternal and g.tgtype & 1 = 0
  loop
    execute replace(told.definition, format(' ON %I.%I FOR', schema_name, name),
      format(' ON %I.%I FOR', schema_name, part));
  end loop;
  for told in
    select k.conname, pg_get_constraintdef(k.oid) as definition, c.relname as named, m.relname as same_month
    from pg_constraint k
    join pg_class c on c.oid = k.confrelid
    left join lateral (
      select p.relname from pg_inherits i join pg_class p on p.oid = i.inhrelid
      where i.inhparent = c.oid
        and pg_get_expr(p.relpartbound, p.oid) = format('FOR VALUES FROM (%L) TO (%L)', bound, bound_after)
    ) m on true
    where k.conrelid = to_regclass(format('%I.%I', schema_name, name || '_rest')) and k.contype = 'f' and k.conparentid = 0
    order by k.conname
  loop
    execute format('alter table %I.%I add constraint %I %s', schema_name, part, told.conname, replace(
      replace(told.definition, ' NOT VALID', ''),
      format(' REFERENCES %I.%I(', schema_name, told.named),
      format(' REFERENCES %I.%I(', schema_name, coalesce(told.same_month, told.named))
    ));
  end loop;
  execute format('alter table %1$I.%2$I attach partition %1$I.%3$I for values from (%4$L) to (%5$L)',
    schema_name, name, part, bound, bound_after);
end
$$;
revoke all on function ${schema}.make_partition(oid, timestamptz) from public`
}

const tables = partitionedTables.map((table) => `('${table}', '${firstCheckOf(table)}')`).join(", ")

/**
 * Makes one missing partition of this month and the next three, of the tables that are partitioned: only one, since the tables that
 * name it stay locked against writes until the commit. Returns whether it `made` one, and `ahead`: how many months after the
 * current one every such table has; null if none is partitioned. It has its owner's rights, so the role that serves needs
 * none to make a table: it makes these, and no others.
 *
 * A lock is waited for 50 ms; what was not had is tried the next time. A month that has rows in the rest already stays there.
 *
 * A table that is about to be partitioned has a rule that refuses rows of later months. If the command was killed, this
 * takes the rule away before it would refuse one.
 */
export const makePartitionsFunction: SqlFunction = {
  name: "make_partitions",
  definition: (schema) => `create or replace function ${schema}.make_partitions(out ahead integer, out made boolean)
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '50ms'
  set timezone = 'UTC'
as $$
declare
  this_month constant timestamptz := date_trunc('month', now());
  -- If another process is at it, this one only counts.
  alone constant boolean := pg_try_advisory_xact_lock(hashtextextended(${literal(`make_partitions ${schema}`)}, 0));
  target record;
  month timestamptz;
  bound uuid;
begin
  made := false;
  for target in
    select t.name, t.first_check, c.oid, c.relkind, n.nspname as schema_name
    from (values ${tables}) t (name, first_check)
    join pg_namespace n on n.oid = ${literal(schema)}::regnamespace
    join pg_class c on c.relnamespace = n.oid and c.relname = t.name
  loop
    if target.relkind <> 'p' then
      select (regexp_match(pg_get_constraintdef(k.oid), '''([0-9a-f-]{36})'''))[1]::uuid into bound
      from pg_constraint k where k.conrelid = target.oid and k.conname = target.first_check;
      if alone and bound is not null and ${momentOf("bound")} < now() + interval '1 day' then
        begin
          execute format('alter table %I.%I drop constraint if exists %I',
            target.schema_name, target.name, target.first_check);
        exception when lock_not_available then
          null;
        end;
      end if;
      continue;
    end if;

    for number in 0 .. ${monthsAhead} loop
      exit when made or not alone;
      month := this_month + make_interval(months => number);
      bound := ${leastUuid("month")};
      continue when ${schema}.partition_holds(target.oid, bound);
      begin
        perform ${schema}.make_partition(target.oid, month);
        made := true;
      exception
        when lock_not_available then exit;
        when check_violation or duplicate_table then null;
      end;
    end loop;

    select least(ahead, count(*) filter (where m.unbroken)) into ahead
    from (
      select bool_and(${schema}.partition_holds(
        target.oid, ${leastUuid("this_month + make_interval(months => n.number)")}
      )) over (order by n.number) as unbroken
      from generate_series(1, ${monthsAhead}) n (number)
    ) m;
  end loop;
end
$$;
revoke all on function ${schema}.make_partitions() from public`
}
