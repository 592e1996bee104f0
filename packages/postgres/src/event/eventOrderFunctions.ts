import type { SqlFunction } from "../migrations/Migration.js"

/**
 * Begins the next epoch if the row of `event_order` is missing, is a copy or has a `written_by` of 0. Returns the
 * current epoch.
 *
 * `written_by` is set to the row's own `xmin`, which a second update in the same transaction can read. Inside a
 * savepoint, that `xmin` differs from the id returned by `pg_current_xact_id`.
 */
export const beginEventEpochFunction: SqlFunction = {
  name: "begin_event_epoch",
  definition: (
    schema
  ) => `create or replace function ${schema}.begin_event_epoch() returns integer language plpgsql volatile as $$
begin
  insert into ${schema}.event_order (epoch, written_by, written_in)
  select coalesce(max(v.epoch), 1), '0', 0
  from (select epoch from ${schema}.event union all select epoch from ${schema}.platform_outbox) v
  where not exists (select from ${schema}.event_order)
  having not exists (select from ${schema}.event_order)
  on conflict do nothing;
  update ${schema}.event_order o set epoch = o.epoch + 1, written_by = '0', written_in = o.tableoid
  where o.one and (o.written_by <> o.xmin or o.written_in <> o.tableoid);
  update ${schema}.event_order o set written_by = o.xmin where o.one and o.written_by = '0';
  return (select o.epoch from ${schema}.event_order o where o.one);
end
$$`
}

/**
 * Begins a new epoch in any of these cases, and returns true if it began one:
 *
 * - The row of `event_order` is missing or was not written in this database.
 * - The next event might precede a merchant's last event, as when events were copied without that row.
 * - The cluster's timeline differs from the stored one. After a failover or a restore to an earlier time, the cluster
 *   may issue the same transaction ids again.
 *
 * Waits for transactions that have stored events of the current epoch, and holds others back until the commit. Readers
 * treat all events of an earlier epoch as committed. Runs as the tables' owner, since the lock needs more than
 * `insert`.
 */
export const settleEventOrderFunction: SqlFunction = {
  name: "settle_event_order",
  definition: (schema) => `create or replace function ${schema}.settle_event_order() returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known record;
  timeline_now integer;
  last_epoch integer;
  begins boolean;
begin
  begin
    select c.timeline_id into timeline_now from pg_control_checkpoint() c;
  exception when insufficient_privilege or undefined_function then
    timeline_now := null;
  end;

  select o.epoch, o.timeline, o.written_by = o.xmin and o.written_in = o.tableoid as original into known
  from ${schema}.event_order o where o.one;
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

  begins := known is null or not known.original or last_epoch is not null
    or coalesce(timeline_now <> known.timeline, false);
  if begins then
    -- Before the update of the row, which others read while they hold the locks.
    lock table only ${schema}.platform_outbox, only ${schema}.event in share mode;
    update ${schema}.event_order o set epoch = greatest(o.epoch, last_epoch), written_by = '0' where o.one;
    perform ${schema}.begin_event_epoch();
  end if;

  if timeline_now is distinct from known.timeline then
    update ${schema}.event_order o set timeline = timeline_now, written_by = '0' where o.one;
    update ${schema}.event_order o set written_by = o.xmin where o.one;
  end if;
  return begins;
end
$$`
}
