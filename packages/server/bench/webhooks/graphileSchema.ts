/**
 * Tables of the graphile-worker sender: endpoints, events, deliveries and attempts. The deliveries' jobs are in
 * graphile-worker's own tables.
 */
export const graphileSchema = `
create table endpoint (
  id uuid primary key default gen_random_uuid(), url text not null, secret_key_id text not null, secret bytea not null,
  failing_since timestamptz
);
create table event (id text primary key, topic text not null, body text not null, occurred_at timestamptz not null);
create table delivery (
  id bigint primary key generated always as identity, event_id text not null references event,
  endpoint_id uuid not null references endpoint, status text not null default 'PENDING', attempts integer not null default 0,
  unique (event_id, endpoint_id)
);
create index on delivery (endpoint_id) where status = 'PENDING';
create table attempt (
  id bigint primary key generated always as identity, delivery_id bigint not null references delivery,
  number integer not null, started_at timestamptz not null, duration_millis integer not null, response_status integer,
  response_body text, error text
);
create index on attempt (delivery_id);
`

/** Statement that inserts an event, its delivery and the delivery's job, all in one transaction. */
export const emitStatement = `
with event as (
  insert into event (id, topic, body, occurred_at) values ($1, 'refund.completed', $2, now()) returning id
),
delivery as (
  insert into delivery (event_id, endpoint_id) select event.id, $3::uuid from event returning id
)
select graphile_worker.add_job('deliver', json_build_object('deliveryId', delivery.id::text)) from delivery
`

export const loadStatement = `
select d.attempts, v.id as event_id, v.topic, v.body, e.id as endpoint_id, e.url, e.secret_key_id, e.secret
from delivery d join event v on v.id = d.event_id join endpoint e on e.id = d.endpoint_id
where d.id = $1
`

/**
 * Statement that stores an attempt and the delivery's number of attempts. A success also marks the delivery as
 * delivered and clears the endpoint's `failing_since`.
 */
export const recordStatement = `
with delivery as (
  update delivery set status = case when $6 then 'DELIVERED' else status end, attempts = $2 where id = $1
  returning id, endpoint_id
),
sound as (
  update endpoint e set failing_since = null from delivery d
  where e.id = d.endpoint_id and $6 and e.failing_since is not null
)
insert into attempt (delivery_id, number, started_at, duration_millis, response_status, response_body, error)
select id, $2, $3, $4, $5, $7, $8 from delivery
`
