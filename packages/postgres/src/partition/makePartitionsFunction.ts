import type { SqlFunction } from "../migrations/Migration.js"
import { literal } from "../role/stampedGrants.js"
import { firstCheckOf, monthColumnOf, monthsAhead, partitionedTables, restOf } from "./partitionedTables.js"

/** Builds SQL for a lower bound of the UUIDv7s created at or after a given time. */
export const leastUuid = (at: string): string =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`

/** Builds SQL for the time encoded in a UUIDv7. */
export const momentOf = (id: string): string =>
  `to_timestamp(('x0000' || left(replace(${id}::text, '-', ''), 12))::bit(64)::bigint / 1000.0)`

/** Returns true if a partition other than the table's default partition, `_rest`, covers the id. */
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
 * Creates the partition of a table for one month, with the caller's privileges. The partition is created as a plain
 * table and then attached, so reads and writes of the other months' partitions continue.
 *
 * Foreign keys between tables partitioned by month are declared per partition. The new partition's keys reference the
 * other table's partition of the same month. That partition contains every row they can refer to. If it is missing,
 * they reference the other table itself.
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

/**
 * SQL for the time one day from now. If a month begins earlier, a constraint that rejects its rows is dropped, and its
 * partition is attached without the constraint.
 */
const soon = "now() + interval '1 day'"

/** SQL for the time encoded in the first UUID of the constraint `k`. */
const momentOfRule = momentOf("(regexp_match(pg_get_constraintdef(k.oid), '''([0-9a-f-]{36})'''))[1]")

/**
 * Takes the next step towards a month's partition, with the caller's privileges. Returns false if `_rest`, the default
 * partition, already has rows of the month. These rows then stay in `_rest`, and no constraint rejects further rows.
 *
 * `attach partition` scans all of `_rest` under its lock, unless a constraint excludes the month's rows from it. If
 * `_rest` has rows, the first call adds the constraint. The second validates it while writes continue. The third
 * attaches the partition.
 *
 * For a month that has begun, or begins within a day, the partition is attached immediately instead. This raises
 * `check_violation` if `_rest` has rows of the month.
 */
export const approachPartitionFunction: SqlFunction = {
  name: "approach_partition",
  definition: (
    schema
  ) => `create or replace function ${schema}.approach_partition(parent oid, month_column text, month timestamptz)
  returns boolean language plpgsql volatile
  set search_path = pg_catalog, pg_temp
  set timezone = 'UTC'
as $$
declare
  bound constant uuid := ${leastUuid("month")};
  bound_after constant uuid := ${leastUuid("month + interval '1 month'")};
  rest regclass;
  rule text;
  has_rows boolean;
  is_proven boolean;
begin
  select to_regclass(format('%I.%I', n.nspname, c.relname || '_rest')), c.relname || to_char(month, '_"rest_not"_YYYY_MM')
  into rest, rule
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = parent;
  execute format('select exists (select from %s)', rest) into has_rows;
  if not has_rows or month < ${soon} then
    perform ${schema}.make_partition(parent, month);
    return true;
  end if;
  execute format('select exists (select from %1$s where %2$I >= %3$L and %2$I < %4$L)',
    rest, month_column, bound, bound_after) into has_rows;
  if has_rows then
    execute format('alter table %s drop constraint if exists %I', rest, rule);
    return false;
  end if;
  select k.convalidated into is_proven from pg_constraint k where k.conrelid = rest and k.conname = rule;
  if is_proven is null then
    execute format('alter table %1$s add constraint %2$I check (%3$I < %4$L or %3$I >= %5$L) not valid',
      rest, rule, month_column, bound, bound_after);
  elsif not is_proven then
    execute format('alter table %s validate constraint %I', rest, rule);
  else
    perform ${schema}.make_partition(parent, month);
    execute format('alter table %s drop constraint %I', rest, rule);
  end if;
  return true;
end
$$;
revoke all on function ${schema}.approach_partition(oid, text, timestamptz) from public`
}

const tables = partitionedTables
  .map((table) => `('${table}', '${firstCheckOf(table)}', '${restOf(table)}', '${monthColumnOf(table)}')`)
  .join(", ")

/**
 * Creates one missing partition for this month or the next three, or takes one step towards it. A call takes only one
 * step, because its locks last until the commit. `made` is true if it took a step. `ahead` is the number of consecutive
 * coming months, at most three, that every partitioned table covers. It is null if no table is partitioned. The
 * function runs with its owner's privileges, so the serving role can create these tables and no others.
 *
 * Waits at most 50 ms for each lock. A change whose lock is not granted is left to the next call. A month's rows that
 * are already in `_rest` stay there.
 *
 * A table about to be partitioned has a constraint that rejects rows of later months. A `_rest` partition may have one
 * that rejects rows of one month. If the process that added a constraint was killed, this function drops the constraint
 * before a row could violate it.
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
  -- False if another process is creating partitions. This call then only computes ahead.
  alone constant boolean := pg_try_advisory_xact_lock(hashtextextended(${literal(`make_partitions ${schema}`)}, 0));
  target record;
  rule record;
  month timestamptz;
begin
  made := false;
  for target in
    select t.*, c.oid, c.relkind, n.nspname as schema_name
    from (values ${tables}) t (name, first_check, rest, month_column)
    join pg_namespace n on n.oid = ${literal(schema)}::regnamespace
    join pg_class c on c.relnamespace = n.oid and c.relname = t.name
  loop
    for rule in
      select k.conname as name, k.conrelid::regclass as place from pg_constraint k
      where alone and k.contype = 'c'
        and k.conrelid in (target.oid, to_regclass(format('%I.%I', target.schema_name, target.rest)))
        and (k.conname = target.first_check or starts_with(k.conname, target.rest || '_not_'))
        and ${momentOfRule} < ${soon}
    loop
      begin
        execute format('alter table %s drop constraint if exists %I', rule.place, rule.name);
      exception when lock_not_available then
        null;
      end;
    end loop;
    continue when target.relkind <> 'p';

    for number in 0 .. ${monthsAhead} loop
      exit when made or not alone;
      month := this_month + make_interval(months => number);
      continue when ${schema}.partition_holds(target.oid, ${leastUuid("month")});
      begin
        made := ${schema}.approach_partition(target.oid, target.month_column, month);
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
