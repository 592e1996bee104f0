import type { Migration } from "./Migration.js"

/** What people's own pages need: links to take consents back, one-time codes, a person's receipts; and signs of fraud. */
export const migration: Migration = {
  id: 12,
  name: "consent_page",
  statements: (schema) => [
    `create table ${schema}.management_link (
  token_hash text collate "C" not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  merchant_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  constraint management_link_pkey primary key (token_hash),
  constraint management_link_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id),
  constraint management_link_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint management_link_environment_check check (environment in ('TEST', 'LIVE')),
  constraint management_link_expiry_check check (expires_at > created_at)
)`,
    `create index management_link_expiry_idx on ${schema}.management_link (expires_at)`,

    `create table ${schema}.code_challenge (
  link_hash text collate "C" not null,
  code_hash text collate "C",
  tries_left integer not null,
  expires_at timestamptz(3) not null,
  sends integer not null,
  window_ends_at timestamptz(3) not null,
  constraint code_challenge_pkey primary key (link_hash),
  constraint code_challenge_tries_check check (tries_left >= 0),
  constraint code_challenge_sends_check check (sends >= 1)
) with (fillfactor = 70)`,
    `create index code_challenge_window_idx on ${schema}.code_challenge (window_ends_at)`,

    `create index consent_receipt_owner_idx on ${schema}.consent_receipt (user_id, environment, id)`,
    `create index data_request_disowned_idx on ${schema}.data_request (environment, id) where denial_reason = 'NOT_ME'`
  ]
}
