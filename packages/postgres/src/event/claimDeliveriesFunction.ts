import type { SqlFunction } from "../migrations/Migration.js"
import { indexOnlyPlans } from "../sql/indexOnlyPlans.js"
import { sequenceOf } from "./eventOrder.js"

/** `endpointShare` of the core. */
const share = 16

/**
 * `DeliveryQueue.claim`. A function, so that counting what is leased and leasing more is one step.
 *
 * The advisory lock makes claims take turns of a few milliseconds: two at once would each count an endpoint's leases
 * without the other's. It ends with the call, before any attempt is made.
 *
 * Each endpoint is asked for its due deliveries over an index, so the work grows with the number of endpoints that have
 * some, not with any one's backlog. With many endpoints, each contributes only a share: reading up to every endpoint's
 * limit would be many times what is claimed.
 *
 * The plan is kept while the tables grow a thousandfold, until the server next takes statistics. So it must have one way
 * only: rows are found one by one. Conditions whose index looks small enough to read as a whole (what is pending, what
 * was not removed) are written in forms that no index answers.
 *
 * An endpoint that has a share leased already comes after all others' first shares. Otherwise a few endpoints with a
 * backlog would take each slot that comes free.
 *
 * A statement of its own finds what is due. When a scan ends it marks the index entries of dead rows, so that later scans
 * skip them, unless the page has changed since it was read. Leasing the rows changes that very page. In one statement,
 * each claim would read again all that went before it.
 *
 * Claims of an endpoint with a rate limit are counted by their moment, for a second.
 *
 * Unless `durable` (inside a host's transaction), the commit does not wait for the disk: a claim that is lost with the
 * server only makes its deliveries due again, as an expired lease does.
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
as $$
#variable_conflict use_column
declare
  claimed_at timestamptz;
  lease_until timestamptz;
  max_deliveries integer;
  max_per_endpoint integer;
  failing boolean;
  durable boolean;
  longest_due uuid[];
begin
  select * into claimed_at, lease_until, max_deliveries, max_per_endpoint, failing, durable
  from json_to_record(claim) as (
    claimed_at timestamptz, lease_until timestamptz, max_deliveries integer, max_per_endpoint integer,
    failing boolean, durable boolean
  );
  if not durable then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  perform pg_advisory_xact_lock(hashtextextended('${schema}.claim_deliveries', 0));

  with recursive waiting as (
    (
      select d.endpoint_id from ${schema}.delivery d where d.status = 'PENDING' order by d.endpoint_id limit 1
    )
    union all
    select (
      select d.endpoint_id from ${schema}.delivery d
      where d.status = 'PENDING' and d.endpoint_id > w.endpoint_id
      order by d.endpoint_id limit 1
    )
    from waiting w where w.endpoint_id is not null
  ),
  free as materialized (
    select w.endpoint_id, leased.count as with_senders,
      least(max_per_endpoint - leased.count, e.max_per_second - paced.count) as places
    from waiting w
    cross join lateral (
      select e.id, e.max_per_second from ${schema}.webhook_endpoint e
      where e.id = w.endpoint_id and e.status = 'ENABLED' and coalesce(e.removed_at, 'infinity') = 'infinity'
        and (failing is null or failing = (e.failing_since is not null))
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

  if longest_due is null then
    return;
  end if;

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
    where p.ctid = any (array(
      select old.ctid
      from rated r
      cross join lateral (
        select o.ctid from ${schema}.endpoint_claim o
        where o.endpoint_id = r.endpoint_id and o.at <= claimed_at - interval '1 second'
        offset 0
      ) old
    ))
  )
  select
    c.id, c.event_id, c.endpoint_id, c.merchant_id, c.environment, c.attempts, c.next_attempt_at::timestamptz,
    c.created_at::timestamptz, c.fence, v.topic, v.body, v.occurred_at::timestamptz,
    e.url, e.topics, v.traceparent, v.test_for, e.secrets, e.max_per_second, e.failing_since::timestamptz,
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
end
$$`
}
