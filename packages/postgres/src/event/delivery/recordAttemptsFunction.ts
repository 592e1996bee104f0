import type { SqlFunction } from "../../migrations/Migration.js"
import { argumentRows, indexOnlyPlans } from "../../sql/indexOnlyPlans.js"
import { isUnwoken } from "./endpointWakes.js"

/** The attempts to record, as rows with the columns of `AttemptInput` in `recordAttempts.ts`. */
const attemptRows = argumentRows(
  "attempts",
  `delivery_id uuid, fence integer, number integer, started_at timestamptz, duration_millis integer,
      response_status integer, response_body text, error text, status text, next_attempt_at timestamptz,
      disable_reason text, disable_if_url text, disable_if_failing_since timestamptz, disabled_event json`
)

/**
 * Implements `DeliveryQueue.settle` for many attempts in one call. It is a function, so that the call takes one round
 * trip even if endpoints change. Records an attempt, and returns a row for it, if the delivery still has the attempt's
 * fence and a lease. `ordinal` is the attempt's position in the array, from 1. A rise in the number of failing days is
 * reported in the row of the endpoint's last attempt. Disabling is reported in the row of the last attempt that
 * disables the endpoint.
 *
 * `status` is the delivery's next status. `disable_reason` disables the endpoint and fails the delivery, if the
 * endpoint has the url `disable_if_url`. `disable_if_failing_since` limits both to an endpoint with this `failing_since`
 * and without a successful attempt in the call.
 *
 * If the call disables an enabled endpoint, it stores the `disabled_event` of the endpoint's first attempt whose
 * `disable_reason` was stored.
 *
 * The planner must have no alternative to finding deliveries by id. A partial index, such as the one on leased
 * deliveries, may look small enough to scan in full. The condition on the lease is therefore written in a form that no
 * index can serve. A leased delivery is pending, so its status needs no condition.
 *
 * Endpoints that change are locked first, in the order of their ids, so that no two calls deadlock. An endpoint that
 * keeps succeeding does not change and is locked only `for key share`. The call waits at most one second for a lock,
 * because the wait delays all its attempts.
 *
 * A retry sets a wake, and so does a slot freed at a full endpoint: see `endpointWakes.ts`.
 */
export const recordAttemptsFunction: SqlFunction = {
  name: "record_attempts",
  definition: (schema) => `create or replace function ${schema}.record_attempts(attempts json) returns table (
  ordinal bigint,
  disables boolean,
  disabled boolean,
  failing_since timestamptz,
  failing_days integer
) language plpgsql volatile
  ${indexOnlyPlans}
  set enable_bitmapscan = off
  set lock_timeout = '1s'
as $$
#variable_conflict use_column
declare
  enabled uuid[];
  touched uuid[];
  retries timestamptz[];
  freed timestamptz[];
begin
  perform 1
  from (
    select d.endpoint_id, bool_or(i.status <> 'DELIVERED') as fails
    from ${attemptRows} i
    cross join lateral (select d.endpoint_id from ${schema}.delivery d where d.id = i.delivery_id limit 1) d
    group by d.endpoint_id
    order by d.endpoint_id
  ) touched
  cross join lateral (
    select 1 from ${schema}.webhook_endpoint e
    where e.id = touched.endpoint_id and (touched.fails or e.failing_since is not null)
    limit 1 for no key update
  ) e;

  select array_agg(t.endpoint_id), array_agg(t.retry_at), array_agg(t.freed_at) into touched, retries, freed
  from (
    select d.endpoint_id, min(i.next_attempt_at) as retry_at, min(i.started_at) as freed_at
    from ${attemptRows} i
    cross join lateral (select d.endpoint_id from ${schema}.delivery d where d.id = i.delivery_id limit 1) d
    group by d.endpoint_id
  ) t;
  perform 1
  from unnest(touched) as t (endpoint_id)
  cross join lateral (
    select 1 from ${schema}.webhook_endpoint e where e.id = t.endpoint_id limit 1 for key share
  ) e;

  if exists (select from json_array_elements(attempts) a where a ->> 'disabled_event' is not null) then
    select array_agg(e.id) into enabled
    from ${attemptRows} i
    cross join lateral (select d.endpoint_id from ${schema}.delivery d where d.id = i.delivery_id limit 1) d
    cross join lateral (
      select e.id from ${schema}.webhook_endpoint e where e.id = d.endpoint_id and e.status = 'ENABLED' limit 1
    ) e;
  end if;

  return query
  with input as materialized (
    select distinct on (i.delivery_id, i.fence) i.*
    from (select ordinality as ordinal, * from ${attemptRows} a) i
    order by i.delivery_id, i.fence, i.ordinal
  ),
  decided as materialized (
    select i.*, i.started_at + i.duration_millis * interval '1 millisecond' as ended_at,
      i.disable_reason is not null and e.url = coalesce(i.disable_if_url, e.url) and (
        i.disable_if_failing_since is null
        or e.failing_since is not distinct from i.disable_if_failing_since and not bool_or(i.status = 'DELIVERED') over (partition by e.id)
      ) as disables
    from input i
    cross join lateral (select d.endpoint_id from ${schema}.delivery d where d.id = i.delivery_id limit 1) d
    cross join lateral (
      select e.id, e.url, e.failing_since from ${schema}.webhook_endpoint e where e.id = d.endpoint_id limit 1
    ) e
  ),
  moved as (
    update ${schema}.delivery d
    set status = case when i.disables then 'FAILED' else i.status end, attempts = d.attempts + 1, leased_until = null,
      next_attempt_at = case when i.disables then null else i.next_attempt_at end
    from decided i
    where d.id = i.delivery_id and d.fence = i.fence and coalesce(d.leased_until, '-infinity') > '-infinity'
    returning i.*, d.endpoint_id
  ),
  attempted as (
    insert into ${schema}.delivery_attempt (
      delivery_id, number, started_at, duration_millis, response_status, response_body, error
    )
    select delivery_id, number, started_at, duration_millis, response_status, response_body, error
    from moved order by ordinal
  ),
  placed as (
    select m.*,
      max(m.ordinal) over (partition by m.endpoint_id) as last_ordinal,
      max(m.ordinal) filter (where m.status = 'DELIVERED') over (partition by m.endpoint_id) as last_delivered
    from moved m
  ),
  outcomes as (
    select p.endpoint_id, p.last_ordinal, p.last_delivered is not null as delivered,
      min(p.started_at) filter (where p.ordinal > coalesce(p.last_delivered, 0)) as first_failed_at,
      max(p.ended_at) filter (where p.ordinal > coalesce(p.last_delivered, 0)) as last_failed_at,
      min(p.disable_reason) filter (where p.disables) as reason,
      max(p.ordinal) filter (where p.disables) as disabling_ordinal,
      max(p.ended_at) filter (where p.disables) as disabled_at
    from placed p
    group by p.endpoint_id, p.last_ordinal, p.last_delivered
  ),
  states as (
    select o.*, before.status, before.failing_since as was_failing_since,
      before.failing_days as known_days, since.at as failing_since,
      coalesce(floor(extract(epoch from o.last_failed_at - since.at) / 86400)::integer, 0) as failing_days
    from outcomes o
    cross join lateral (
      select e.status, e.failing_since, e.failing_days from ${schema}.webhook_endpoint e
      where e.id = o.endpoint_id limit 1
    ) before
    cross join lateral (
      select case when o.delivered then o.first_failed_at else coalesce(before.failing_since, o.first_failed_at) end as at
    ) since
  ),
  noted as (
    update ${schema}.webhook_endpoint e
    set failing_since = s.failing_since,
      failing_days = case when s.delivered then s.failing_days else greatest(s.known_days, s.failing_days) end,
      status = case when s.reason is null then e.status else 'DISABLED' end,
      disabled_at = coalesce(e.disabled_at, s.disabled_at),
      disabled_reason = coalesce(s.reason, e.disabled_reason),
      updated_at = coalesce(s.disabled_at, e.updated_at)
    from states s
    where e.id = s.endpoint_id and (
      s.was_failing_since is distinct from s.failing_since or s.failing_days > s.known_days or s.reason is not null
    )
  )
  select m.ordinal, m.disables, coalesce(s.disabling_ordinal = m.ordinal and s.status = 'ENABLED', false),
    case when s.last_ordinal = m.ordinal and s.failing_days > s.known_days then s.failing_since end::timestamptz,
    case when s.last_ordinal = m.ordinal and s.failing_days > s.known_days then s.failing_days end
  from moved m
  left join states s on s.endpoint_id = m.endpoint_id
  order by m.ordinal;

  update ${schema}.endpoint_wake w set failing = not w.failing
  where w.endpoint_id = any (touched) and w.failing <> (
    select e.failing_since is not null from ${schema}.webhook_endpoint e where e.id = w.endpoint_id limit 1
  );

  with unwoken as materialized (
    select t.endpoint_id, e.failing, n.at
    from unnest(touched, retries, freed) as t (endpoint_id, retry_at, freed_at)
    cross join lateral (
      select least(t.retry_at, (
        select t.freed_at from ${schema}.endpoint_wake w where w.endpoint_id = t.endpoint_id and w.filled limit 1
      )) as at
    ) n
    cross join lateral (
      select e.failing_since is not null as failing from ${schema}.webhook_endpoint e where e.id = t.endpoint_id limit 1
    ) e
    where n.at is not null and ${isUnwoken(schema, "t.endpoint_id", "n.at")}
  )
  insert into ${schema}.endpoint_wake (endpoint_id, failing, at) select w.endpoint_id, w.failing, w.at from unwoken w;

  if enabled is not null then
    perform 1 from ${schema}.append_events((
      select json_agg(told.disabled_event)
      from (
        select distinct on (e.id) i.disabled_event
        from (select ordinality as ordinal, * from ${attemptRows} a) i
        cross join lateral (select d.endpoint_id from ${schema}.delivery d where d.id = i.delivery_id limit 1) d
        cross join lateral (
          select e.id, e.url, e.disabled_reason from ${schema}.webhook_endpoint e
          where e.id = d.endpoint_id and e.status = 'DISABLED' limit 1
        ) e
        where i.disabled_event is not null and i.disable_reason = e.disabled_reason and e.id = any (enabled)
          and e.url = coalesce(i.disable_if_url, e.url)
        order by e.id, i.ordinal
      ) told
    ));
  end if;
end
$$`
}
