import type { SqlFunction } from "../migrations/Migration.js"
import { indexOnlyPlans } from "../sql/indexOnlyPlans.js"
import { sequenceOf } from "./eventOrder.js"

/**
 * Implements `PlatformFeed.claim`. Claims take turns through an advisory lock. A skip scan of the outbox's primary key
 * finds the streams with unsent events. Its cost grows with the number of streams, not with their backlogs.
 *
 * An event of the current epoch waits until no older transaction is running, as in `EventLog.follow`. The current epoch
 * is the epoch of the next event. Events of earlier epochs were committed before it began, so they do not wait.
 */
export const claimPlatformEventsFunction: SqlFunction = {
  name: "claim_platform_events",
  definition: (schema) => `create or replace function ${schema}.claim_platform_events(claim json) returns table (
  stream uuid,
  failures integer,
  fence integer,
  event_id uuid,
  environment text,
  topic text,
  body text,
  occurred_at timestamptz,
  sequence text
) language plpgsql volatile
  ${indexOnlyPlans}
  set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  claimed_at timestamptz;
  lease_until timestamptz;
  max_streams integer;
  max_per_stream integer;
  horizon xid8;
  next_epoch integer;
  found_streams uuid[];
begin
  select * into claimed_at, lease_until, max_streams, max_per_stream
  from json_to_record(claim) as (
    claimed_at timestamptz, lease_until timestamptz, max_streams integer, max_per_stream integer
  );
  perform pg_advisory_xact_lock(hashtextextended('${schema}.claim_platform_events', 0));
  -- A separate statement after the lock. It reads a table, so that Citus runs it on the node that has the tables:
  -- that node's transactions stamp the rows.
  select pg_snapshot_xmin(pg_current_snapshot()),
    o.epoch + case when o.written_by = o.xmin and o.written_in = o.tableoid then 0 else 1 end
  into horizon, next_epoch
  from (select 1) one left join ${schema}.event_order o on o.one;

  with recursive waiting as (
    (
      select p.stream from ${schema}.platform_outbox p order by p.stream limit 1
    )
    union all
    select (
      select p.stream from ${schema}.platform_outbox p where p.stream > w.stream order by p.stream limit 1
    )
    from waiting w where w.stream is not null
  )
  select array_agg(free.stream) into found_streams
  from (
    select w.stream
    from waiting w
    left join lateral (
      select s.leased_until, s.retry_at from ${schema}.platform_stream s where s.stream = w.stream limit 1
    ) s on true
    cross join lateral (
      select p.occurred_at, p.epoch, p.committed_by from ${schema}.platform_outbox p
      where p.stream = w.stream order by p.epoch, p.committed_by, p.event_id limit 1
    ) first
    where w.stream is not null and (first.committed_by < horizon or first.epoch < next_epoch)
      and coalesce(s.leased_until, '-infinity') <= claimed_at and coalesce(s.retry_at, '-infinity') <= claimed_at
    order by coalesce(s.retry_at, first.occurred_at), w.stream
    limit max_streams
  ) free;
  if found_streams is null then
    return;
  end if;

  insert into ${schema}.platform_stream as s (stream, leased_until, fence)
  select f.stream, lease_until, 1 from unnest(found_streams) as f (stream)
  on conflict (stream) do update set leased_until = excluded.leased_until, fence = s.fence + 1;

  return query
  select s.stream, s.failures, s.fence, v.id, v.environment, v.topic, v.body, v.occurred_at::timestamptz,
    ${sequenceOf("v")}
  from unnest(found_streams) with ordinality as f (stream, place)
  cross join lateral (
    select s.stream, s.failures, s.fence from ${schema}.platform_stream s where s.stream = f.stream limit 1
  ) s
  cross join lateral (
    select p.event_id as id, p.environment, p.topic, p.body, p.occurred_at, p.epoch, p.committed_by
    from ${schema}.platform_outbox p
    where p.stream = f.stream and (p.committed_by < horizon or p.epoch < next_epoch)
    order by p.epoch, p.committed_by, p.event_id limit max_per_stream
  ) v
  order by f.place, v.epoch, v.committed_by, v.id;
end
$$`
}
