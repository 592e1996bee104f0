import { endpointShare as share } from "@surety/core/event/DeliveryQueue"
import type { SqlFunction } from "../../migrations/Migration.js"
import { indexOnlyPlans } from "../../sql/indexOnlyPlans.js"
import { sequenceOf } from "../eventOrder.js"
import { traceparentOf } from "../TraceColumn.js"
import { addMissingWakes, moreIsDue, moveWakes } from "./endpointWakes.js"

/**
 * A claim locks the endpoints of up to `max_deliveries` due wakes. These are the bounds of that limit. It applies
 * separately to failing and to other endpoints.
 */
const fewestWakes = 64
const mostWakes = 256

/**
 * Implements `DeliveryQueue.claim`. The function has several statements, so that each sees the earlier commits of other
 * transactions.
 *
 * 1. Lock the endpoints with due wakes (`endpointWakes.ts`), longest due first. Skip a locked endpoint: usually another
 *    claim, still uncommitted, is leasing from it. Concurrent claims thus do not block each other or count the same
 *    endpoint's leases at the same time. A claim that skipped endpoints and found nothing else returns a row of nulls.
 *    With `waits`, a claim that has locked no endpoint waits up to 2 s for the longest-due one. If the wait times out,
 *    the claim returns no rows.
 * 2. Find the due deliveries of the locked endpoints. The work grows with the leases, not with the backlog. An index
 *    scan reads an endpoint's leased deliveries, and at most as many others as this claim may lease there.
 * 3. Lease these deliveries.
 * 4. Write the endpoints' next wakes.
 *
 * The plan stays cached until the server next collects statistics, while the tables may grow a thousandfold. Each
 * statement must therefore allow only one plan, which looks up rows one by one. An index of pending or unremoved rows
 * may look small enough to scan in full. Lookups by id therefore write such an index's condition in a form that the
 * index cannot serve.
 *
 * Once a full share (`endpointShare`) of an endpoint's deliveries is leased, it ranks after the first shares of all
 * others. Otherwise a few endpoints with a backlog would take every free slot.
 *
 * A scan marks the index entries of dead rows at its end, so that later scans skip them. It cannot mark them if their
 * page has changed since the scan read it. Leasing the rows changes that page, so a separate statement finds them. In a
 * single statement, each claim would read the dead rows of all earlier claims again.
 *
 * The deliveries claimed in the last second count against an endpoint's rate limit.
 *
 * `sweep` first adds missing wakes, for example after tables were filled by other means. The sweep reads every endpoint
 * with pending deliveries, so it runs rarely.
 *
 * Unless `durable` (inside a host's transaction), the commit does not wait for the disk. A claim lost in a server crash
 * only makes its deliveries due again, like an expired lease.
 */
export const claimDeliveriesFunction: SqlFunction = {
  name: "claim_deliveries",
  definition: (schema) => `create or replace function ${schema}.claim_deliveries(claim json) returns table (
  id uuid,
  event_id uuid,
  endpoint_id uuid,
  merchant_id uuid,
  environment text,
  attempts integer,
  next_attempt_at timestamptz,
  created_at timestamptz,
  fence integer,
  topic text,
  body text,
  occurred_at timestamptz,
  url text,
  topics text[],
  traceparent text,
  test_for uuid,
  secrets jsonb,
  max_per_second integer,
  failing_since timestamptz,
  endpoint_created_at timestamptz,
  endpoint_updated_at timestamptz,
  sequence text
) language plpgsql volatile
  ${indexOnlyPlans}
  set enable_bitmapscan = off
  set lock_timeout = '2s'
as $$
#variable_conflict use_column
declare
  claimed_at timestamptz;
  lease_until timestamptz;
  max_deliveries integer;
  max_per_endpoint integer;
  of_failing boolean;
  durable boolean;
  sweep boolean;
  waits boolean;
  visited uuid[];
  movable uuid[];
  longest_due uuid[];
  unwoken uuid[];
  unwoken_failing boolean[];
  unwoken_dues timestamptz[];
begin
  select * into claimed_at, lease_until, max_deliveries, max_per_endpoint, of_failing, durable, sweep, waits
  from json_to_record(claim) as (
    claimed_at timestamptz, lease_until timestamptz, max_deliveries integer, max_per_endpoint integer,
    failing boolean, durable boolean, sweep boolean, waits boolean
  );
  if not durable then
    perform set_config('synchronous_commit', 'off', true);
  end if;

  if sweep then
    ${addMissingWakes(schema)}
  end if;

  select array_agg(distinct locked.id) into visited
  from unnest(case when of_failing is null then array[false, true] else array[of_failing] end) as lane (failing)
  cross join lateral (
    select e.id
    from ${schema}.endpoint_wake w
    cross join lateral (
      select e.id from ${schema}.webhook_endpoint e where e.id = w.endpoint_id limit 1 for no key update skip locked
    ) e
    where w.failing = lane.failing and w.at <= claimed_at
    order by w.at
    limit least(greatest(max_deliveries, ${fewestWakes}), ${mostWakes})
  ) locked;

  if visited is null and waits then
    begin
      select array_agg(locked.id) into visited
      from (
        select first.endpoint_id
        from unnest(case when of_failing is null then array[false, true] else array[of_failing] end) as lane (failing)
        cross join lateral (
          select w.endpoint_id, w.at from ${schema}.endpoint_wake w
          where w.failing = lane.failing and w.at <= claimed_at
          order by w.at
          limit 1
        ) first
        order by first.at
        limit 1
      ) w
      cross join lateral (
        select e.id from ${schema}.webhook_endpoint e where e.id = w.endpoint_id limit 1 for no key update
      ) locked;
    exception when lock_not_available then
      return;
    end;
  end if;
  if visited is null then
    if ${moreIsDue(schema)} then
      return next;
    end if;
    return;
  end if;

  with free as materialized (
    select w.endpoint_id, leased.count as with_senders,
      least(max_per_endpoint - leased.count, e.max_per_second - paced.count) as places
    from unnest(visited) as w (endpoint_id)
    cross join lateral (
      select e.id, e.max_per_second from ${schema}.webhook_endpoint e
      where e.id = w.endpoint_id and e.status = 'ENABLED' and coalesce(e.removed_at, 'infinity') = 'infinity'
        and (of_failing is null or of_failing = (e.failing_since is not null))
      limit 1
    ) e
    cross join lateral (
      select count(*) as count from ${schema}.delivery d
      where d.endpoint_id = w.endpoint_id and d.leased_until > claimed_at
    ) leased
    cross join lateral (
      select coalesce(sum(p.count), 0) as count from ${schema}.endpoint_claim p
      where e.max_per_second is not null and p.endpoint_id = w.endpoint_id
        and p.at > claimed_at - interval '1 second'
    ) paced
    where leased.count < max_per_endpoint and (e.max_per_second is null or paced.count < e.max_per_second)
  ),
  found as (
    select d.id
    from free f
    cross join lateral (
      select d.id, d.next_attempt_at,
        (f.with_senders + row_number() over (order by d.next_attempt_at, d.id) - 1) / ${share} as turn
      from ${schema}.delivery d
      where d.endpoint_id = f.endpoint_id and d.status = 'PENDING' and d.next_attempt_at <= claimed_at
        and (d.leased_until is null or d.leased_until <= claimed_at)
      order by d.next_attempt_at, d.id
      limit least(f.places, greatest(${share}, max_deliveries / (select count(*) from free)))
    ) d
    order by d.turn, d.next_attempt_at, d.id
    limit max_deliveries
  )
  select array_agg(found.id) into longest_due from found;

  if longest_due is not null then
  return query
  with taken as materialized (
    select d.id from ${schema}.delivery d
    where d.id = any (longest_due) and coalesce(d.status, '') = 'PENDING'
      and (d.leased_until is null or d.leased_until <= claimed_at)
    for update of d skip locked
  ),
  claimed as (
    update ${schema}.delivery d set leased_until = lease_until, fence = d.fence + 1
    from taken t where d.id = t.id
    returning d.*
  ),
  taken_of as materialized (
    select c.endpoint_id, count(*) as count
    from claimed c
    group by c.endpoint_id
  ),
  rated as materialized (
    select t.endpoint_id, t.count
    from taken_of t
    cross join lateral (
      select e.max_per_second from ${schema}.webhook_endpoint e where e.id = t.endpoint_id limit 1
    ) e
    where e.max_per_second is not null
  ),
  paced as (
    insert into ${schema}.endpoint_claim as p (endpoint_id, at, count)
    select r.endpoint_id, claimed_at, r.count
    from rated r
    on conflict (endpoint_id, at) do update set count = p.count + excluded.count
  ),
  forgotten as (
    delete from ${schema}.endpoint_claim p
    where p.endpoint_id = any (array(select r.endpoint_id from rated r)) and p.at <= claimed_at - interval '1 second'
  )
  select
    c.id, c.event_id, c.endpoint_id, c.merchant_id, c.environment, c.attempts, c.next_attempt_at::timestamptz,
    c.created_at::timestamptz, c.fence, v.topic, v.body, v.occurred_at::timestamptz,
    e.url, e.topics, ${traceparentOf("v")}, v.test_for, e.secrets, e.max_per_second, e.failing_since::timestamptz,
    e.created_at::timestamptz, e.updated_at::timestamptz, ${sequenceOf("v")}
  from claimed c
  cross join lateral (
    select v.* from ${schema}.event v
    where v.id = c.event_id and v.merchant_id = c.merchant_id and v.environment = c.environment
    limit 1
  ) v
  cross join lateral (
    select e.* from ${schema}.webhook_endpoint e
    where e.id = c.endpoint_id and e.merchant_id = c.merchant_id and e.environment = c.environment
    limit 1
  ) e
  order by c.next_attempt_at, c.id;
  end if;

  ${moveWakes(schema)}

  if longest_due is null and ${moreIsDue(schema)} then
    return next;
  end if;
end
$$`
}
