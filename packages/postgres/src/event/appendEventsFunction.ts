import type { SqlFunction } from "../migrations/Migration.js"
import { indexOnlyPlans } from "../sql/indexOnlyPlans.js"
import { endpointLock } from "./awaitWritersFunction.js"
import { isUnwoken } from "./delivery/endpointWakes.js"

/** Id of the outbox stream for events that concern no merchant. */
export const nilUuid = "00000000-0000-0000-0000-000000000000"

export const uuidV7Function: SqlFunction = {
  name: "uuid_v7",
  definition: (
    schema
  ) => `create or replace function ${schema}.uuid_v7(at timestamptz) returns uuid language sql volatile parallel safe
return encode(
  set_bit(
    set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6
      ),
      52, 1
    ),
    53, 1
  ),
  'hex'
)::uuid`
}

/**
 * Derives the id of an event's delivery to an endpoint. The id is a UUIDv7 with the time of the event's id. Most of its
 * other bits are a hash of both ids. An endpoint can have only one delivery of an event, because the primary key allows
 * one row per id. This also holds in a table partitioned by month, because equal ids are in the same partition.
 */
export const deliveryIdFunction: SqlFunction = {
  name: "delivery_id",
  definition: (
    schema
  ) => `create or replace function ${schema}.delivery_id(event_id uuid, endpoint_id uuid) returns uuid
  language sql immutable parallel safe
return encode(
  overlay(
    overlay(
      substring(sha256(uuid_send(event_id) || uuid_send(endpoint_id)) from 1 for 16)
      placing substring(uuid_send(event_id) from 1 for 7) from 1 for 7
    )
    placing substring(uuid_send(event_id) from 9 for 1) from 9 for 1
  ),
  'hex'
)::uuid`
}

/**
 * Stores events, with one delivery for each enabled endpoint that subscribes to the topic, and returns the deliveries.
 * Every statement that stores a new event calls this function. A test event (`test_for`) goes only to its own endpoint,
 * and is stored only if that endpoint is enabled. If `events` is null, nothing is stored. Merchants never see a
 * `platform_only` event.
 *
 * An endpoint without an early enough wake gets one: see `delivery/endpointWakes.ts`. A separate statement reads the
 * wakes, after the deliveries' foreign keys have locked the endpoints. Isolation levels above `read committed` cannot
 * see concurrent wakes, so each call adds one there.
 *
 * The first statement shares the locks of the merchants' disabled endpoints until the commit (`endpointLock`). A
 * concurrent enable waits for them, and its recovery then finds these events. If the enable commits first, the next
 * statement sees the endpoint as enabled.
 *
 * The epoch is read in the statement that stores events, so that no new epoch can begin between reading and storing.
 *
 * While `platform_feed` has a row, every event except test events is stored in `platform_outbox`. A `platform_only`
 * event is stored nowhere else. `offset 0` keeps the plan to one lookup of endpoints per event.
 */
export const appendEventsFunction: SqlFunction = {
  name: "append_events",
  definition: (schema) => `create or replace function ${schema}.append_events(events json) returns table (
  delivery_id uuid,
  event_id uuid
) language plpgsql volatile
  ${indexOnlyPlans}
as $$
#variable_conflict use_column
declare
  delivery_ids uuid[];
  event_ids uuid[];
  endpoint_ids uuid[];
  dues timestamptz[];
begin
  if events is null then
    return;
  end if;
  perform pg_advisory_xact_lock_shared(${endpointLock(schema, "e.id")})
  from (
    select e.id
    from (
      select distinct v.merchant_id, v.environment
      from json_to_recordset(events) as v (merchant_id uuid, environment text)
    ) v
    cross join lateral (
      select e.id from ${schema}.webhook_endpoint e
      where e.merchant_id = v.merchant_id and e.environment = v.environment and e.removed_at is null
        and e.status = 'DISABLED'
      offset 0
    ) e
    order by e.id
  ) e;
  if exists (select from ${schema}.platform_feed) then
    insert into ${schema}.platform_outbox (stream, epoch, event_id, environment, topic, body, occurred_at)
    select coalesce(v.merchant_id, '${nilUuid}'), (select ${schema}.event_epoch()), v.id, v.environment, v.topic, v.body, v.occurred_at
    from json_to_recordset(events) as v (
      merchant_id uuid, environment text, id uuid, topic text, body text, occurred_at timestamptz, test_for uuid
    )
    where v.test_for is null;
  end if;
  with given as materialized (
    select v.* from json_to_recordset(events) as v (
      merchant_id uuid, environment text, id uuid, topic text, body text, occurred_at timestamptz, test_for uuid,
      trace bytea, platform_only boolean
    )
    where not v.platform_only and (v.test_for is null or exists (
      select from ${schema}.webhook_endpoint e
      where e.id = v.test_for and e.merchant_id = v.merchant_id and e.environment = v.environment
        and e.removed_at is null and e.status = 'ENABLED'
    ))
  ),
  appended as (
    insert into ${schema}.event as n (
      merchant_id, environment, id, topic, body, occurred_at, test_for, trace, epoch
    )
    select v.merchant_id, v.environment, v.id, v.topic, v.body, v.occurred_at, v.test_for, v.trace,
      (select ${schema}.event_epoch())
    from given v
    returning n.merchant_id, n.environment, n.id, n.topic, n.occurred_at, n.test_for
  ),
  due as materialized (
    select ${schema}.delivery_id(a.id, e.id) as id, a.id as event_id, e.id as endpoint_id, a.merchant_id, a.environment,
      a.occurred_at
    from appended a
    cross join lateral (
      select e.id from ${schema}.webhook_endpoint e
      where e.merchant_id = a.merchant_id and e.environment = a.environment
        and e.removed_at is null and e.status = 'ENABLED'
        and case when a.test_for is null then a.topic = any (e.topics) else a.test_for = e.id end
      offset 0
    ) e
  ),
  made as (
    insert into ${schema}.delivery (
      id, event_id, endpoint_id, merchant_id, environment, status, attempts, next_attempt_at, fence, created_at
    )
    select d.id, d.event_id, d.endpoint_id, d.merchant_id, d.environment, 'PENDING', 0, d.occurred_at, 0, d.occurred_at
    from due d
    returning id, event_id, endpoint_id, next_attempt_at
  )
  select array_agg(m.id), array_agg(m.event_id), array_agg(m.endpoint_id), array_agg(m.next_attempt_at)
  into delivery_ids, event_ids, endpoint_ids, dues
  from made m;

  if delivery_ids is null then
    return;
  end if;

  with unwoken as materialized (
    select n.endpoint_id, e.failing_since is not null as failing, n.at
    from (
      select u.endpoint_id, min(u.at) as at from unnest(endpoint_ids, dues) as u (endpoint_id, at) group by u.endpoint_id
    ) n
    cross join lateral (
      select e.failing_since from ${schema}.webhook_endpoint e where e.id = n.endpoint_id limit 1
    ) e
    where current_setting('transaction_isolation') <> 'read committed' or ${isUnwoken(schema, "n.endpoint_id", "n.at")}
  )
  insert into ${schema}.endpoint_wake (endpoint_id, failing, at) select w.endpoint_id, w.failing, w.at from unwoken w;

  return query select u.id, u.event_id from unnest(delivery_ids, event_ids) as u (id, event_id);
end
$$`
}
