import { type Migration, perEnvironment } from "./Migration.js"

const topics = `
    'transaction.settled', 'refund.completed', 'merchant.identity.consent_granted',
    'merchant.identity.request.approved', 'merchant.identity.request.denied', 'merchant.identity.request.expired',
    'merchant.identity.consent_revoked', 'merchant.identity.consent_expired', 'merchant.identity.data_changed',
    'kyc.verification.completed', 'refund.failed', 'endpoint.disabled'
  `

/**
 * Events and their order, endpoints and the deliveries to them, and the events to send to the platform.
 *
 * Transaction ids order events only within one cluster. A restored dump, or a logical replica that takes over, restarts
 * them. An event therefore also stores an epoch. Events are ordered by epoch, then by transaction id. The single row of
 * `event_order` holds the current epoch. It also holds the transaction that wrote it (`written_by`, its own `xmin`) and
 * the table it was written in. A copy of that row has the same contents but different system columns. The first
 * transaction that stores an event after a copy detects this and begins the next epoch. No operator action is needed.
 */
export const migration: Migration = {
  id: 3,
  name: "events",
  statements: (schema) => [
    `create table ${schema}.event_order (
  one boolean not null default true,
  epoch integer not null,
  timeline integer,
  written_by xid not null,
  written_in oid not null,
  constraint event_order_pkey primary key (one),
  constraint event_order_one_check check (one),
  constraint event_order_epoch_check check (epoch >= 1)
)`,
    `create function ${schema}.event_epoch() returns integer language plpgsql volatile as $$
declare
  current_epoch integer;
begin
  select o.epoch into current_epoch from ${schema}.event_order o
  where o.one and o.written_by = o.xmin and o.written_in = o.tableoid;
  if current_epoch is null then
    return ${schema}.begin_event_epoch();
  end if;
  return current_epoch;
end
$$`,

    `insert into ${schema}.event_order (epoch, written_by, written_in) values (1, '0', '${schema}.event_order'::regclass)`,
    `update ${schema}.event_order o set written_by = o.xmin`,

    // Fixed-width columns come first, in descending alignment, to avoid padding.
    `create table ${schema}.event (
  occurred_at timestamptz(3) not null,
  committed_by xid8 not null default pg_current_xact_id(),
  epoch integer not null default ${schema}.event_epoch(),
  id uuid not null,
  merchant_id uuid not null,
  test_for uuid,
  environment text collate "C" not null,
  topic text collate "C" not null,
  trace bytea,
  body text not null,
  constraint event_pkey primary key (id, merchant_id, environment),
  constraint event_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint event_environment_check check (environment in ('TEST', 'LIVE')),
  constraint event_topic_check check (topic in (${topics})),
  constraint event_trace_check check (octet_length(trace) = 24)
)`,
    // Maps a topic to two bytes for the index. Append new topics to the list: after a reordering, topics would no
    // longer match the numbers that existing indexes store.
    `create function ${schema}.topic_number(topic text) returns smallint language sql immutable parallel safe
return array_position(array[${topics}], topic)::smallint`,
    // Lists omit test events.
    ...perEnvironment(schema, "event", "newest", "merchant_id, id", " and test_for is null"),
    ...perEnvironment(
      schema,
      "event",
      "topic",
      `merchant_id, ${schema}.topic_number(topic), id`,
      " and test_for is null"
    ),
    ...perEnvironment(schema, "event", "order", "merchant_id, epoch, committed_by, id", " and test_for is null"),
    // Finds the events about changes of a person's details, for the person's export and erasure.
    `create index event_data_changed_idx on ${schema}.event (substring(body from '"serviceId":"([^"]*)"'))
  where topic = 'merchant.identity.data_changed' and test_for is null`,

    `create table ${schema}.webhook_endpoint (
  merchant_id uuid not null,
  environment text collate "C" not null,
  id uuid not null,
  url text not null,
  topics text[] collate "C" not null,
  status text collate "C" not null,
  disabled_reason text,
  secrets jsonb not null,
  failing_since timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  removed_at timestamptz(3),
  max_per_second integer,
  disabled_at timestamptz(3),
  failing_days integer not null default 0,
  missed_since timestamptz(3),
  constraint webhook_endpoint_pkey primary key (id, merchant_id, environment),
  constraint webhook_endpoint_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint webhook_endpoint_environment_check check (environment in ('TEST', 'LIVE')),
  constraint webhook_endpoint_status_check check (status in ('ENABLED', 'DISABLED')),
  constraint webhook_endpoint_topics_check check (topics <@ array[${topics}]),
  constraint webhook_endpoint_secrets_check
    check (jsonb_typeof(secrets) = 'array' and (removed_at is null or secrets = '[]')),
  constraint webhook_endpoint_rate_check check (max_per_second >= 1)
)`,
    `create index webhook_endpoint_merchant_idx on ${schema}.webhook_endpoint (merchant_id, environment)
  where removed_at is null`,
    `create index webhook_endpoint_all_idx on ${schema}.webhook_endpoint (merchant_id, environment, id)`,
    `create index webhook_endpoint_failing_idx on ${schema}.webhook_endpoint (environment, failing_since)
  where failing_since is not null and removed_at is null`,
    `create index webhook_endpoint_disabled_idx on ${schema}.webhook_endpoint (environment, disabled_at)
  where status = 'DISABLED' and removed_at is null`,

    `create table ${schema}.delivery (
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  status text collate "C" not null,
  attempts integer not null,
  next_attempt_at timestamptz(3),
  leased_until timestamptz(3),
  fence integer not null,
  created_at timestamptz(3) not null,
  constraint delivery_pkey primary key (id),
  constraint delivery_event_fkey
    foreign key (merchant_id, environment, event_id) references ${schema}.event (merchant_id, environment, id),
  constraint delivery_endpoint_fkey
    foreign key (merchant_id, environment, endpoint_id)
    references ${schema}.webhook_endpoint (merchant_id, environment, id),
  constraint delivery_status_check check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  constraint delivery_attempts_check check (attempts >= 0),
  constraint delivery_due_check check ((status = 'PENDING') = (next_attempt_at is not null)),
  constraint delivery_lease_check check (leased_until is null or status = 'PENDING')
)`,
    // The id derives from event and endpoint (`deliveryIdFunction`), so the primary key limits each event to one
    // delivery per endpoint.
    `create index delivery_event_idx on ${schema}.delivery (event_id, endpoint_id)`,
    `create index delivery_due_idx on ${schema}.delivery (endpoint_id, next_attempt_at, id) where status = 'PENDING'`,
    `create index delivery_leased_idx on ${schema}.delivery (endpoint_id, leased_until) where leased_until is not null`,
    // Every delivery has a status, so `delivery_status_idx` serves the full list and the list of each status.
    // `delivery_endpoint_idx` serves the lists of one endpoint.
    `create index delivery_status_idx on ${schema}.delivery (environment, status, event_id, endpoint_id)`,
    `create index delivery_endpoint_idx on ${schema}.delivery (endpoint_id, status, event_id)`,
    `create index delivery_retention_idx on ${schema}.delivery (created_at, id) where status = 'DELIVERED'`,

    `create table ${schema}.delivery_attempt (
  id bigint not null generated always as identity,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_millis integer not null,
  response_status integer,
  response_body text,
  error text,
  constraint delivery_attempt_pkey primary key (delivery_id, id),
  constraint delivery_attempt_delivery_fkey
    foreign key (delivery_id) references ${schema}.delivery (id) on delete cascade,
  constraint delivery_attempt_number_check check (number >= 1)
)`,
    `create index delivery_attempt_retention_idx on ${schema}.delivery_attempt (started_at, id)
  where response_body is not null`,
    // Attempts are appended in time order, so a BRIN index narrows an hour to a few pages.
    `create index delivery_attempt_time_idx on ${schema}.delivery_attempt using brin (started_at) with (pages_per_range = 16, autosummarize = on)`,

    `create table ${schema}.endpoint_claim (
  endpoint_id uuid not null,
  at timestamptz(3) not null,
  count integer not null,
  constraint endpoint_claim_pkey primary key (endpoint_id, at)
)`,

    // Times at which claims next check an endpoint, rarely more than one row per endpoint. The table has no foreign
    // key, which would lock the endpoint's row. A claim must not wait for a lock.
    `create table ${schema}.endpoint_wake (
  endpoint_id uuid not null,
  failing boolean not null,
  at timestamptz(3) not null,
  held boolean not null default false,
  filled boolean not null default false
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
    `create index endpoint_wake_at_idx on ${schema}.endpoint_wake (failing, at)`,
    `create index endpoint_wake_endpoint_idx on ${schema}.endpoint_wake (endpoint_id, at)`,
    `create index endpoint_wake_held_idx on ${schema}.endpoint_wake (endpoint_id) where held`,

    // Contains one row while events are stored for the platform.
    `create table ${schema}.platform_feed (
  one boolean not null default true,
  begun_at timestamptz(3) not null default now(),
  constraint platform_feed_pkey primary key (one),
  constraint platform_feed_one_check check (one)
)`,
    // Unsent events, each with its own copy of the content. `stream` is the merchant's id, or the nil UUID for the
    // platform's own events.
    `create table ${schema}.platform_outbox (
  stream uuid not null,
  epoch integer not null default ${schema}.event_epoch(),
  committed_by xid8 not null default pg_current_xact_id(),
  event_id uuid not null,
  environment text collate "C" not null,
  topic text collate "C" not null,
  body text not null,
  occurred_at timestamptz(3) not null,
  constraint platform_outbox_pkey primary key (stream, epoch, committed_by, event_id),
  constraint platform_outbox_environment_check check (environment in ('TEST', 'LIVE'))
)`,
    // Lease and retry state of every stream claimed so far. Fences never restart.
    `create table ${schema}.platform_stream (
  stream uuid not null,
  failures integer not null default 0,
  retry_at timestamptz(3),
  leased_until timestamptz(3),
  fence integer not null,
  constraint platform_stream_pkey primary key (stream),
  constraint platform_stream_failures_check check (failures >= 0)
)`
  ]
}
