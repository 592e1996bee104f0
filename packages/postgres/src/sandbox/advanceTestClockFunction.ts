import type { SqlFunction } from "../migrations/Migration.js"

/**
 * `SandboxStore.advanceClock` in one call: the new total, or null with the old one in `clock_seconds` if the clock would
 * pass its end. Locks the merchant first, so concurrent moves add up.
 *
 * Only rows of the merchant in TEST are named, each by an index. Leases (`leased_until`) are not.
 */
export const advanceTestClockFunction: SqlFunction = {
  name: "advance_test_clock",
  definition: (
    schema
  ) => `create or replace function ${schema}.advance_test_clock(move json) returns table (advanced boolean, clock_seconds integer) language plpgsql volatile as $$
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

  update ${schema}.data_request r set expires_at = r.expires_at - step, notify_at = r.notify_at - step
  where r.merchant_id = merchant and r.environment = 'TEST' and r.status = 'PENDING';

  update ${schema}.consent_grant g set expires_at = g.expires_at - step
  where g.merchant_id = merchant and g.environment = 'TEST' and g.status = 'ACTIVE';

  update ${schema}.verification v set due_at = v.due_at - step,
    next_action = jsonb_set(
      v.next_action,
      '{expiresAt}',
      to_jsonb(to_char(
        ((v.next_action ->> 'expiresAt')::timestamptz - step) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
      ))
    )
  where v.merchant_id = merchant and v.environment = 'TEST' and v.due_at is not null;

  update ${schema}.webhook_endpoint e set failing_since = e.failing_since - step
  where e.merchant_id = merchant and e.environment = 'TEST' and e.failing_since is not null;

  update ${schema}.delivery d set next_attempt_at = d.next_attempt_at - step
  where d.status = 'PENDING' and d.endpoint_id in (
    select e.id from ${schema}.webhook_endpoint e where e.merchant_id = merchant and e.environment = 'TEST'
  );

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
