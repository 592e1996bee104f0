import { mostMoved } from "@surety/core/sandbox/SandboxStore"
import type { SqlFunction } from "../migrations/Migration.js"
import { indexOnlyPlans } from "../sql/indexOnlyPlans.js"

/**
 * Implements `SandboxStore.advanceClock` in one call. Returns the new total as `clock_seconds`. If `seconds` is less
 * than 1 or the clock would pass `farthest`, changes nothing. `advanced` is then false, and `clock_seconds` the current
 * total. Locks the merchant first, so concurrent moves add up. Returns no row for an unknown merchant.
 *
 * Brings times in the merchant's TEST rows forward by `seconds`, including the times of all failing endpoints. Moves at
 * most `mostMoved` each of requests, grants, verifications and deliveries, found by the indexes of open records. The
 * cost of a move therefore does not grow with the number of these records. Does not move leases (`leased_until`).
 * Computes times before the update, since Citus does not allow time arithmetic within it. Also wakes the enabled TEST
 * endpoints.
 */
export const advanceTestClockFunction: SqlFunction = {
  name: "advance_test_clock",
  definition: (
    schema
  ) => `create or replace function ${schema}.advance_test_clock(move json) returns table (advanced boolean, clock_seconds integer) language plpgsql volatile
  ${indexOnlyPlans}
as $$
declare
  merchant uuid;
  seconds integer;
  farthest integer;
  step interval;
begin
  select * into merchant, seconds, farthest
  from json_to_record(move) as (merchant_id uuid, seconds integer, farthest integer);
  select m.test_clock_seconds into clock_seconds from ${schema}.merchant m where m.id = merchant for no key update;
  if not found then
    return;
  end if;
  if seconds < 1 or clock_seconds > farthest - seconds then
    advanced := false;
    return next;
    return;
  end if;
  step := make_interval(secs => seconds);

  with moved as materialized (
    select r.id, r.expires_at - step as expires_at, r.notify_at - step as notify_at from ${schema}.data_request r
    where r.merchant_id = merchant and r.environment = 'TEST' and r.status = 'PENDING'
    order by r.id desc limit ${mostMoved} for no key update
  )
  update ${schema}.data_request r set expires_at = m.expires_at, notify_at = m.notify_at from moved m
  where r.id = m.id and r.merchant_id = merchant and r.environment = 'TEST';

  with moved as materialized (
    select g.id, g.expires_at - step as expires_at from ${schema}.consent_grant g
    where g.merchant_id = merchant and g.environment = 'TEST' and g.status = 'ACTIVE'
    order by g.id desc limit ${mostMoved} for no key update
  )
  update ${schema}.consent_grant g set expires_at = m.expires_at from moved m
  where g.id = m.id and g.merchant_id = merchant and g.environment = 'TEST';

  with moved as materialized (
    select v.id, v.due_at - step as due_at,
      jsonb_set(
        v.next_action,
        '{expiresAt}',
        to_jsonb(to_char(
          ((v.next_action ->> 'expiresAt')::timestamptz - step) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
        ))
      ) as next_action
    from ${schema}.verification v
    where v.merchant_id = merchant and v.environment = 'TEST' and v.due_at is not null
    order by v.created_at desc, v.id desc limit ${mostMoved} for no key update
  )
  update ${schema}.verification v set due_at = m.due_at, next_action = m.next_action from moved m where v.id = m.id;

  with moved as materialized (
    select e.id, e.failing_since - step as failing_since from ${schema}.webhook_endpoint e
    where e.merchant_id = merchant and e.environment = 'TEST' and e.failing_since is not null for no key update
  )
  update ${schema}.webhook_endpoint e set failing_since = m.failing_since from moved m
  where e.id = m.id and e.merchant_id = merchant and e.environment = 'TEST';

  with moved as materialized (
    select d.id, d.next_attempt_at - step as next_attempt_at from ${schema}.webhook_endpoint e
    cross join lateral (
      select d.id, d.next_attempt_at from ${schema}.delivery d
      where d.endpoint_id = e.id and d.status = 'PENDING'
      order by d.next_attempt_at, d.id limit ${mostMoved} for no key update
    ) d
    where e.merchant_id = merchant and e.environment = 'TEST'
    limit ${mostMoved}
  )
  update ${schema}.delivery d set next_attempt_at = m.next_attempt_at from moved m where d.id = m.id;

  insert into ${schema}.endpoint_wake (endpoint_id, failing, at)
  select e.id, e.failing_since is not null, '-infinity' from ${schema}.webhook_endpoint e
  where e.merchant_id = merchant and e.environment = 'TEST' and e.removed_at is null and e.status = 'ENABLED';

  update ${schema}.merchant m set test_clock_seconds = m.test_clock_seconds + seconds where m.id = merchant;
  clock_seconds := clock_seconds + seconds;
  advanced := true;
  return next;
end
$$`
}
