import type { Migration } from "./Migration.js"

/** Merchants, their keys, and the consumers that they may name. */
export const migration: Migration = {
  id: 1,
  name: "merchants",
  statements: (schema) => [
    `create function ${schema}.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of %.% is refused: its rows are never changed', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'restrict_violation';
end
$$`,

    `create table ${schema}.merchant (
  id uuid not null,
  business_code text collate "C" not null,
  name text not null,
  legal_name text not null,
  contact_name text not null,
  contact_email text not null,
  support_email text,
  website_url text,
  country text not null,
  business_type text not null,
  registration_number text,
  refunds_enabled boolean not null,
  settlement_overdraft boolean not null,
  status text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint merchant_pkey primary key (id),
  constraint merchant_business_code_key unique (business_code),
  constraint merchant_status_check check (status in ('PENDING_REVIEW', 'ACTIVE', 'REJECTED', 'SUSPENDED', 'CLOSED'))
)`,

    `create table ${schema}.merchant_status_change (
  id bigint not null generated always as identity,
  merchant_id uuid not null,
  from_status text collate "C",
  to_status text collate "C" not null,
  actor text not null,
  reason text,
  at timestamptz(3) not null,
  constraint merchant_status_change_pkey primary key (id),
  constraint merchant_status_change_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint merchant_status_change_from_check
    check (from_status in ('PENDING_REVIEW', 'ACTIVE', 'REJECTED', 'SUSPENDED', 'CLOSED')),
  constraint merchant_status_change_to_check
    check (to_status in ('PENDING_REVIEW', 'ACTIVE', 'REJECTED', 'SUSPENDED', 'CLOSED'))
)`,
    `create index merchant_status_change_merchant_idx on ${schema}.merchant_status_change (merchant_id, id)`,
    `create trigger merchant_status_change_append_only before update or delete or truncate
  on ${schema}.merchant_status_change for each statement execute function ${schema}.refuse_change()`,

    `create table ${schema}.api_key (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  hash text collate "C" not null,
  last4 text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  constraint api_key_pkey primary key (id),
  constraint api_key_hash_key unique (hash),
  constraint api_key_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint api_key_environment_check check (environment in ('TEST', 'LIVE'))
)`,
    `create index api_key_merchant_idx on ${schema}.api_key (merchant_id, id)`,

    `create table ${schema}.consumer (
  environment text collate "C" not null,
  id text collate "C" not null,
  service_id text collate "C" not null,
  external_id text,
  display_name text,
  country text,
  email text,
  phone_verified boolean not null,
  created_at timestamptz(3) not null,
  constraint consumer_pkey primary key (id, environment),
  constraint consumer_service_id_key unique (service_id, environment),
  constraint consumer_environment_check check (environment in ('TEST', 'LIVE')),
  constraint consumer_id_check check (length(id) between 1 and 128)
)`,
    `create index consumer_test_idx on ${schema}.consumer (created_at, id) where environment = 'TEST'`,
    `create index consumer_live_idx on ${schema}.consumer (created_at, id) where environment = 'LIVE'`,

    `create table ${schema}.consumer_link (
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint consumer_link_pkey primary key (user_id, merchant_id, environment),
  constraint consumer_link_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint consumer_link_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id)
)`
  ]
}
