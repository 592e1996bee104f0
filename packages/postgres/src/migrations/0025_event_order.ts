import type { Migration } from "./Migration.js"

/**
 * The order of commits, so that it outlasts the database it was made in.
 *
 * A transaction's id orders events only within one cluster: a dump that is restored, or a logical replica that takes
 * over, begins its ids anew. So an event carries an epoch before the id. `event_order` has one row, which holds the
 * current epoch and knows which transaction wrote it, and into which table. A copy of the row has the contents of the
 * original and the system columns of the copying transaction; the first event after a copy sees that they differ, and
 * begins the next epoch in its own transaction. No step of an operator is needed.
 *
 * `settle_event_order` runs at each start. It also finds what the row cannot show: events that were copied without it, and
 * a cluster that was set back in time, whose ids are given out a second time on another timeline.
 *
 * `written_by` is the row's own `xmin`, which a second update in the same transaction can read: under a savepoint it is
 * not the id that `pg_current_xact_id` returns.
 */
export const migration: Migration = {
  id: 25,
  name: "event_order",
  statements: (schema) => [
    `create table ${schema}.event_order (
  one boolean not null default true,
  epoch integer not null,
  timeline integer,
  written_by xid not null,
  written_in oid not null,
  constraint event_order_pkey primary key (one),
  constraint event_order_one_check check (one),
  constraint event_order_epoch_check check (epoch >= 1)
)`,

    `create function ${schema}.begin_event_epoch() returns integer language plpgsql volatile as $$
begin
  insert into ${schema}.event_order (epoch, written_by, written_in)
  select coalesce(max(v.epoch), 1), '0', 0 from ${schema}.event v
  where not exists (select from ${schema}.event_order)
  having not exists (select from ${schema}.event_order)
  on conflict do nothing;
  update ${schema}.event_order o set epoch = o.epoch + 1, written_by = '0', written_in = o.tableoid
  where o.one and (o.written_by <> o.xmin or o.written_in <> o.tableoid);
  update ${schema}.event_order o set written_by = o.xmin where o.one and o.written_by = '0';
  return (select o.epoch from ${schema}.event_order o where o.one);
end
$$`,

    `create function ${schema}.event_epoch() returns integer language plpgsql volatile as $$
declare
  current_epoch integer;
begin
  select o.epoch into current_epoch from ${schema}.event_order o
  where o.one and o.written_by = o.xmin and o.written_in = o.tableoid;
  if current_epoch is null then
    return ${schema}.begin_event_epoch();
  end if;
  return current_epoch;
end
$$`,

    `create function ${schema}.settle_event_order() returns boolean language plpgsql volatile as $$
declare
  known record;
  timeline_now integer;
  last_epoch integer;
  began boolean := false;
begin
  begin
    select c.timeline_id into timeline_now from pg_control_checkpoint() c;
  exception when insufficient_privilege or undefined_function then
    timeline_now := null;
  end;

  select o.epoch, o.timeline, o.written_by = o.xmin and o.written_in = o.tableoid as original into known
  from ${schema}.event_order o where o.one;
  if known is null or not known.original then
    perform ${schema}.begin_event_epoch();
    began := true;
  end if;

  select max(v.epoch) into last_epoch
  from ${schema}.event_order o
  cross join (
    select e.environment, m.id from ${schema}.merchant m cross join (values ('TEST'), ('LIVE')) e (environment)
  ) m
  cross join lateral (
    (
      select v.epoch, v.committed_by from ${schema}.event v
      where m.environment = 'TEST' and v.merchant_id = m.id and v.environment = 'TEST' and v.test_for is null
      order by v.epoch desc, v.committed_by desc, v.id desc limit 1
    )
    union all
    (
      select v.epoch, v.committed_by from ${schema}.event v
      where m.environment = 'LIVE' and v.merchant_id = m.id and v.environment = 'LIVE' and v.test_for is null
      order by v.epoch desc, v.committed_by desc, v.id desc limit 1
    )
  ) v
  where v.epoch > o.epoch or v.epoch = o.epoch and v.committed_by >= pg_snapshot_xmax(pg_current_snapshot());
  if last_epoch is not null or timeline_now <> known.timeline then
    update ${schema}.event_order o set epoch = greatest(o.epoch, last_epoch), written_by = '0' where o.one;
    perform ${schema}.begin_event_epoch();
    began := true;
  end if;

  if timeline_now is distinct from known.timeline then
    update ${schema}.event_order o set timeline = timeline_now, written_by = '0' where o.one;
    update ${schema}.event_order o set written_by = o.xmin where o.one;
  end if;
  return began;
end
$$`,

    // Added with a constant, which rewrites no table; events from here on ask.
    `alter table ${schema}.event add column epoch integer not null default 1`,
    `alter table ${schema}.event alter column epoch set default ${schema}.event_epoch()`,

    `insert into ${schema}.event_order (epoch, written_by, written_in) values (1, '0', '${schema}.event_order'::regclass)`,
    `update ${schema}.event_order o set written_by = o.xmin`,

    `drop index ${schema}.event_test_order_idx`,
    `drop index ${schema}.event_live_order_idx`,
    `create index event_test_order_idx on ${schema}.event (merchant_id, epoch, committed_by, id)
  where environment = 'TEST' and test_for is null`,
    `create index event_live_order_idx on ${schema}.event (merchant_id, epoch, committed_by, id)
  where environment = 'LIVE' and test_for is null`
  ]
}
