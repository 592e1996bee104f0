/**
 * `DeliveryQueue.record`, of many attempts at once: a function, so that it is one round trip whatever becomes of the
 * endpoints. Answers a row for each attempt whose fence still is its holder's, by its place in the arrays; the others
 * leave no trace. What an endpoint has come to stands in the row of the last attempt there.
 *
 * `statuses` says what becomes of each delivery; where `disable_reasons` has a text its endpoint is disabled, and the
 * delivery has failed. Where `disable_if_failing_since` has a time that happens only if the endpoint still is failing
 * since then.
 *
 * Deliveries are found by their ids alone, and the plan has no other way: what holds a lease is asked for in a form that
 * no index answers, since the one of what is pending looks small until there is a backlog. What has a lease is pending.
 *
 * Endpoints that change are locked first, in the order of their ids, so that no two calls wait for each other. One that
 * keeps answering does not change and is not locked. One that somebody's transaction holds is not waited for longer than a
 * second, since all attempts of the call wait with it.
 */
export const recordAttemptsFunction = (schema: string): string =>
  `create or replace function ${schema}.record_attempts(
  delivery_ids uuid[],
  fences integer[],
  numbers integer[],
  starts timestamptz[],
  durations integer[],
  response_statuses integer[],
  response_bodies text[],
  errors text[],
  statuses text[],
  next_attempts timestamptz[],
  disable_reasons text[],
  disable_if_failing_since timestamptz[]
) returns table (
  ordinal bigint,
  disabled boolean,
  failing_since timestamptz,
  failing_days integer
) language plpgsql volatile
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set lock_timeout = '1s'
as $$
#variable_conflict use_column
begin
  perform 1
  from (
    select d.endpoint_id, bool_or(i.status <> 'DELIVERED') as fails
    from unnest(delivery_ids, statuses) as i (id, status)
    join ${schema}.delivery d on d.id = i.id
    group by d.endpoint_id
    order by d.endpoint_id
  ) touched
  cross join lateral (
    select 1 from ${schema}.webhook_endpoint e
    where e.id = touched.endpoint_id and (touched.fails or e.failing_since is not null)
    limit 1 for no key update
  ) e;

  return query
  with input as materialized (
    select distinct on (i.delivery_id, i.fence) i.*
    from unnest(
      delivery_ids, fences, numbers, starts, durations, response_statuses, response_bodies, errors, statuses,
      next_attempts, disable_reasons, disable_if_failing_since
    ) with ordinality as i (
      delivery_id, fence, number, started_at, duration_millis, response_status, response_body, error, status,
      next_attempt_at, disable_reason, if_failing_since, ordinal
    )
    order by i.delivery_id, i.fence, i.ordinal
  ),
  decided as materialized (
    select i.*, i.started_at + i.duration_millis * interval '1 millisecond' as ended_at,
      i.disable_reason is not null and (
        i.if_failing_since is null
        or e.failing_since = i.if_failing_since and not bool_or(i.status = 'DELIVERED') over (partition by e.id)
      ) as disables
    from input i
    join ${schema}.delivery d on d.id = i.delivery_id
    join ${schema}.webhook_endpoint e on e.id = d.endpoint_id
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
  select m.ordinal, coalesce(s.reason is not null and s.status = 'ENABLED', false),
    case when s.failing_days > s.known_days then s.failing_since end::timestamptz,
    case when s.failing_days > s.known_days then s.failing_days end
  from moved m
  left join states s on s.last_ordinal = m.ordinal
  order by m.ordinal;
end
$$`
