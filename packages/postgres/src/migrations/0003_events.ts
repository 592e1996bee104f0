import type { Migration } from "./Migration.js"

/** Events, the endpoints that are told of them, and each event's way to each endpoint. */
export const migration: Migration = {
  id: 3,
  name: "events",
  statements: (schema) => [
    `create function ${schema}.uuid_v7(at timestamptz) returns uuid language sql volatile parallel safe
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
)::uuid`,

    `create table ${schema}.event (
  merchant_id uuid not null,
  environment text collate "C" not null,
  id uuid not null,
  topic text collate "C" not null,
  body text not null,
  occurred_at timestamptz(3) not null,
  constraint event_pkey primary key (id, merchant_id, environment),
  constraint event_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint event_environment_check check (environment in ('TEST', 'LIVE')),
  constraint event_topic_check check (topic in (
    'transaction.settled', 'refund.completed', 'merchant.identity.consent_granted',
    'merchant.identity.request.approved', 'merchant.identity.request.denied'
  ))
)`,
    `create index event_test_idx on ${schema}.event (merchant_id, id) where environment = 'TEST'`,
    `create index event_live_idx on ${schema}.event (merchant_id, id) where environment = 'LIVE'`,

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
  constraint webhook_endpoint_pkey primary key (id, merchant_id, environment),
  constraint webhook_endpoint_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint webhook_endpoint_environment_check check (environment in ('TEST', 'LIVE')),
  constraint webhook_endpoint_status_check check (status in ('ENABLED', 'DISABLED')),
  constraint webhook_endpoint_topics_check check (topics <@ array[
    'transaction.settled', 'refund.completed', 'merchant.identity.consent_granted',
    'merchant.identity.request.approved', 'merchant.identity.request.denied'
  ]),
  constraint webhook_endpoint_secrets_check
    check (jsonb_typeof(secrets) = 'array' and (removed_at is null or secrets = '[]'))
)`,
    `create index webhook_endpoint_merchant_idx on ${schema}.webhook_endpoint (merchant_id, environment)
  where removed_at is null`,

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
  constraint delivery_event_key unique (event_id, endpoint_id),
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
    `create index delivery_due_idx on ${schema}.delivery (endpoint_id, next_attempt_at, id) where status = 'PENDING'`,
    `create index delivery_leased_idx on ${schema}.delivery (endpoint_id, leased_until) where leased_until is not null`,

    `create table ${schema}.delivery_attempt (
  id bigint not null generated always as identity,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_millis integer not null,
  response_status integer,
  response_body text,
  error text,
  constraint delivery_attempt_pkey primary key (id),
  constraint delivery_attempt_delivery_fkey
    foreign key (delivery_id) references ${schema}.delivery (id) on delete cascade,
  constraint delivery_attempt_number_check check (number >= 1)
)`,
    `create index delivery_attempt_delivery_idx on ${schema}.delivery_attempt (delivery_id, id)`
  ]
}
