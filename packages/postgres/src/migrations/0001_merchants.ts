import { appendOnlyTriggers, type Migration, perEnvironment } from "./Migration.js"

const statuses = "('PENDING_REVIEW', 'ACTIVE', 'REJECTED', 'SUSPENDED', 'CLOSED')"

/**
 * Merchants and their keys, and consumers and their links to merchants.
 *
 * Triggers of append-only tables refuse updates, deletes and truncates. A transaction may set one of these exceptions:
 *
 * - `surety.moved_out`: delete the rows of a merchant that has moved to another database.
 * - `surety.erased_as`: in tables about people, replace the user id with a pseudonym (`erase_person`).
 * - `surety.retained`: in tables about people, delete rows of the table that it names. `take_reads` deletes only
 *   expired rows.
 *
 * The serving role may not delete from append-only tables.
 */
export const migration: Migration = {
  id: 1,
  name: "merchants",
  statements: (schema) => [
    `create function ${schema}.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and coalesce(current_setting('surety.moved_out', true), '') <> '' then
    if tg_level = 'STATEMENT' then
      return null;
    elsif to_jsonb(old) ->> 'merchant_id' = current_setting('surety.moved_out', true) then
      return old;
    end if;
  end if;
  raise exception '% of %.% is refused: its rows are never changed', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'restrict_violation';
end
$$`,

    // Uses the table name from the trigger's argument, since partitions and shards have other names.
    `create function ${schema}.refuse_person_change() returns trigger language plpgsql as $$
begin
  if tg_level = 'STATEMENT' then
    if tg_op = 'UPDATE' and coalesce(current_setting('surety.erased_as', true), '') <> ''
      or tg_op = 'DELETE' and (
        current_setting('surety.retained', true) = tg_argv[0]
        or coalesce(current_setting('surety.moved_out', true), '') <> ''
      ) then
      return null;
    end if;
  elsif tg_op = 'DELETE' and (
    current_setting('surety.retained', true) = tg_argv[0]
    or to_jsonb(old) ->> 'merchant_id' = current_setting('surety.moved_out', true)
  ) then
    return old;
  elsif tg_op = 'UPDATE' and new.user_id = current_setting('surety.erased_as', true)
    and to_jsonb(new) - 'user_id' = to_jsonb(old) - 'user_id' then
    return new;
  end if;
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
  purpose text,
  test_refunds_enabled boolean not null default true,
  test_clock_seconds integer not null default 0,
  return_urls text[] not null default '{}',
  external_id text collate "C",
  constraint merchant_pkey primary key (id),
  constraint merchant_business_code_key unique (business_code),
  constraint merchant_external_id_key unique (external_id),
  constraint merchant_status_check check (status in ${statuses}),
  constraint merchant_external_id_check check (length(external_id) between 1 and 128),
  constraint merchant_purpose_check check (length(purpose) between 1 and 500),
  constraint merchant_test_clock_check check (test_clock_seconds between 0 and 34560000),
  constraint merchant_return_urls_check check (cardinality(return_urls) <= 16)
)`,

    // Supports case-insensitive prefix search on names.
    `create index merchant_name_idx on ${schema}.merchant ((lower(name) collate "C"))`,
    `create index merchant_status_idx on ${schema}.merchant (status, id)`,
    `create index merchant_review_idx on ${schema}.merchant (created_at) where status = 'PENDING_REVIEW'`,

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
  constraint merchant_status_change_from_check check (from_status in ${statuses}),
  constraint merchant_status_change_to_check check (to_status in ${statuses})
)`,
    `create index merchant_status_change_merchant_idx on ${schema}.merchant_status_change (merchant_id, id)`,
    ...appendOnlyTriggers(schema, "merchant_status_change"),

    `create table ${schema}.api_key (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  hash text collate "C" not null,
  last4 text not null,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  name text,
  scopes text[] collate "C",
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  constraint api_key_pkey primary key (id),
  constraint api_key_hash_key unique (hash),
  constraint api_key_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint api_key_environment_check check (environment in ('TEST', 'LIVE')),
  constraint api_key_name_check check (length(name) between 1 and 120),
  constraint api_key_scopes_check check (cardinality(scopes) >= 1)
)`,
    `create index api_key_merchant_idx on ${schema}.api_key (merchant_id, id)`,

    // Erasure moves a person's identifier from `service_id` to `erased_service_id`. Lookups of consumers no longer find
    // it, and `consumer_issued_key` prevents its reissue.
    //
    // A KYC standing depends on all of a person's evidence. `kyc_evidence_count` is the version of that evidence. If
    // the count has changed before a commit, the standing is decided again.
    `create table ${schema}.consumer (
  environment text collate "C" not null,
  id text collate "C" not null,
  service_id text collate "C",
  external_id text,
  display_name text,
  country text,
  email text,
  phone_verified boolean not null,
  created_at timestamptz(3) not null,
  kyc_status text collate "C",
  kyc_tier text,
  ask_limits boolean not null default false,
  kyc_evidence_count integer not null default 0,
  restricted_at timestamptz(3),
  erased_at timestamptz(3),
  erased_service_id text collate "C",
  constraint consumer_pkey primary key (id, environment),
  constraint consumer_service_id_key unique (service_id, environment),
  constraint consumer_environment_check check (environment in ('TEST', 'LIVE')),
  constraint consumer_id_check check (length(id) between 1 and 128),
  constraint consumer_kyc_status_check check (kyc_status in ('VERIFIED')),
  constraint consumer_ask_limits_check check (not ask_limits or environment = 'TEST'),
  constraint consumer_kyc_evidence_count_check check (kyc_evidence_count >= 0),
  constraint consumer_erased_check
    check ((erased_at is null) = (service_id is not null) and (erased_at is null) = (erased_service_id is null)
      and (erased_at is null or num_nonnulls(external_id, display_name, country, email, kyc_status, kyc_tier) = 0
        and not phone_verified and not ask_limits and restricted_at is null))
)`,
    `create unique index consumer_issued_key
  on ${schema}.consumer (coalesce(service_id, erased_service_id), environment)`,
    ...perEnvironment(schema, "consumer", "", "created_at, id"),
    `create index consumer_external_idx on ${schema}.consumer (external_id, environment, created_at desc, id desc)
  where external_id is not null`,
    `create index consumer_email_idx on ${schema}.consumer (lower(email), environment, created_at desc, id desc)
  where email is not null`,
    `create index consumer_name_idx on ${schema}.consumer ((lower(display_name) collate "C"), environment)
  where display_name is not null`,

    `create table ${schema}.consumer_link (
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz(3) not null,
  constraint consumer_link_pkey primary key (user_id, merchant_id, environment),
  constraint consumer_link_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint consumer_link_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade
)`,
    `create index consumer_link_merchant_idx
  on ${schema}.consumer_link (merchant_id, environment, created_at desc, user_id desc)`
  ]
}
