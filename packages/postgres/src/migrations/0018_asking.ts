import type { Migration } from "./Migration.js"

/**
 * What keeps merchants from asking without end, and where a one-time code went, masked. A request may have several idempotency keys, so keys have a table of their
 * own, and one key has one meaning. `asking` has a row for a merchant and a person: its version orders what is asked, and
 * it holds the block that a person made.
 */
export const migration: Migration = {
  id: 18,
  name: "asking",
  statements: (schema) => [
    `alter table ${schema}.consumer
  add column ask_limits boolean not null default false,
  add constraint consumer_ask_limits_check check (not ask_limits or environment = 'TEST')`,

    `create table ${schema}.data_request_key (
  merchant_id uuid not null,
  environment text collate "C" not null,
  idempotency_key text collate "C" not null,
  data_request_id uuid not null,
  fingerprint text not null,
  kept_since timestamptz(3) not null,
  constraint data_request_key_pkey primary key (idempotency_key, merchant_id, environment),
  constraint data_request_key_request_fkey
    foreign key (merchant_id, environment, data_request_id)
    references ${schema}.data_request (merchant_id, environment, id)
)`,
    `create index data_request_key_request_idx on ${schema}.data_request_key (data_request_id)`,
    `insert into ${schema}.data_request_key
  (merchant_id, environment, idempotency_key, data_request_id, fingerprint, kept_since)
  select merchant_id, environment, idempotency_key, id, fingerprint, created_at
  from ${schema}.data_request where idempotency_key is not null`,

    // With the columns go their index and the constraints that name them.
    `alter table ${schema}.data_request
  drop column idempotency_key,
  drop column fingerprint,
  add constraint data_request_link_check
    check (num_nulls(token_hash, link_key_id, link_sealed) in (0, 3) and (token_hash is null or answer is not null))`,
    `create index data_request_kept_idx on ${schema}.data_request (created_at, id)
  where answer is not null and status <> 'PENDING'`,
    `create index data_request_open_idx on ${schema}.data_request (user_id, merchant_id, environment, expires_at)
  where status = 'PENDING'`,
    `create index data_request_made_idx on ${schema}.data_request (user_id, merchant_id, environment, created_at)`,
    `create index data_request_denied_idx on ${schema}.data_request (user_id, merchant_id, environment, decided_at)
  where status = 'DENIED'`,

    `alter table ${schema}.code_challenge add column destination text`,

    `create table ${schema}.asking (
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  version bigint not null,
  block_reason text collate "C",
  block_request_id uuid,
  blocked_at timestamptz(3),
  lifted_at timestamptz(3),
  constraint asking_pkey primary key (user_id, merchant_id, environment),
  constraint asking_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint asking_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id),
  constraint asking_request_fkey
    foreign key (merchant_id, environment, block_request_id)
    references ${schema}.data_request (merchant_id, environment, id),
  constraint asking_environment_check check (environment in ('TEST', 'LIVE')),
  constraint asking_reason_check check (block_reason in ('NOT_ME', 'STOP_ASKING')),
  constraint asking_block_check
    check (num_nulls(block_reason, block_request_id, blocked_at) in (0, 3)
      and (lifted_at is null or blocked_at is not null))
) with (fillfactor = 70)`,
    ...["TEST", "LIVE"].flatMap((environment) => {
      const name = `asking_${environment.toLowerCase()}`
      const inForce = `where environment = '${environment}' and blocked_at is not null and lifted_at is null`
      return [
        `create index ${name}_idx on ${schema}.asking (merchant_id, blocked_at, user_id) ${inForce}`,
        `create index ${name}_all_idx on ${schema}.asking (blocked_at, merchant_id, user_id) ${inForce}`
      ]
    })
  ]
}
