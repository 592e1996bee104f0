import { appendOnlyTriggers, type Migration, perEnvironment } from "./Migration.js"

const orders = ["", "actor", "kind", "target", "merchant_id", "service_id"]

/**
 * Operators' actions, sessions and proposals, and hourly counts. An action is appended in the same transaction as its
 * change, if that change is in this database.
 */
export const migration: Migration = {
  id: 7,
  name: "operator",
  statements: (schema) => [
    `create table ${schema}.operator_action (
  id uuid not null,
  actor text collate "C" not null,
  kind text collate "C" not null,
  target text collate "C" not null,
  environment text collate "C",
  merchant_id uuid,
  service_id text collate "C",
  reason text,
  changes jsonb not null,
  at timestamptz(3) not null,
  constraint operator_action_pkey primary key (id),
  constraint operator_action_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint operator_action_environment_check check (environment in ('TEST', 'LIVE')),
  constraint operator_action_actor_check check (length(actor) between 1 and 64),
  constraint operator_action_changes_check check (jsonb_typeof(changes) = 'array')
)`,
    ...orders.map((column) => {
      const name = ["operator_action", column.replace("_id", ""), "idx"].filter((part) => part !== "").join("_")
      const columns = [column, "at desc", "id desc"].filter((part) => part !== "").join(", ")
      return `create index ${name} on ${schema}.operator_action (${columns})`
    }),
    `create index operator_action_moved_idx on ${schema}.operator_action (lower(actor), at)
  where kind in ('transfer.posted', 'payment.recorded')`,
    ...appendOnlyTriggers(schema, "operator_action"),

    `create table ${schema}.operator_session (
  id uuid not null,
  token_hash text collate "C" not null,
  operator text collate "C" not null,
  roles text[] collate "C" not null,
  signed_in_by text collate "C" not null,
  credential text collate "C",
  address text,
  user_agent text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  constraint operator_session_pkey primary key (id),
  constraint operator_session_token_key unique (token_hash),
  constraint operator_session_operator_check check (length(operator) between 1 and 64),
  constraint operator_session_method_check
    check (signed_in_by in ('TOKEN', 'OIDC', 'HOST') and (signed_in_by = 'TOKEN') = (credential is not null))
)`,
    `create index operator_session_list_idx on ${schema}.operator_session (created_at, id)`,
    `create index operator_session_operator_idx on ${schema}.operator_session (operator, created_at, id)`,
    `create index operator_session_end_idx on ${schema}.operator_session (ends_at)`,
    `create index operator_session_use_idx on ${schema}.operator_session (last_used_at)`,

    `create table ${schema}.proposal (
  id uuid not null,
  environment text collate "C" not null,
  kind text collate "C" not null,
  transfer_kind text collate "C",
  direction text collate "C",
  currency text collate "C",
  amount_minor bigint,
  merchant_id uuid,
  service_id text collate "C",
  reason text not null,
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  proposed_by text collate "C" not null,
  proposed_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  status text collate "C" not null,
  begun_at timestamptz(3),
  decided_by text collate "C",
  decided_at timestamptz(3),
  refusal text,
  transfer_id uuid,
  constraint proposal_pkey primary key (id),
  constraint proposal_key unique (idempotency_key, environment),
  constraint proposal_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint proposal_transfer_fkey foreign key (transfer_id) references ${schema}.operator_transfer (id),
  constraint proposal_environment_check check (environment in ('TEST', 'LIVE')),
  constraint proposal_kind_check check (kind in ('TRANSFER', 'ERASURE')
    and (kind = 'TRANSFER') = (num_nulls(transfer_kind, currency, amount_minor) = 0)
    and (kind = 'TRANSFER' or num_nonnulls(transfer_kind, direction, currency, amount_minor, merchant_id) = 0)),
  constraint proposal_owner_check check (num_nonnulls(merchant_id, service_id) = 1),
  constraint proposal_amount_check check (amount_minor between 1 and 999999999999999),
  constraint proposal_ends_check check (ends_at > proposed_at),
  constraint proposal_status_check check (status in ('OPEN', 'APPROVED', 'REFUSED')),
  constraint proposal_decided_check check (
    (status = 'OPEN') = (num_nonnulls(decided_by, decided_at) = 0)
      and (status = 'OPEN' or num_nulls(decided_by, decided_at) = 0)
      and (status = 'REFUSED') = (refusal is not null)
      and (status = 'APPROVED' and kind = 'TRANSFER') = (transfer_id is not null)
  ),
  constraint proposal_second_check check (status <> 'APPROVED' or lower(decided_by) <> lower(proposed_by))
)`,
    `create unique index proposal_transfer_key on ${schema}.proposal (transfer_id) where transfer_id is not null`,
    // An expired proposal keeps the status `OPEN`. A count of open ones therefore also requires a future `ends_at`.
    `create index proposal_open_idx on ${schema}.proposal (environment, ends_at) where status = 'OPEN'`,
    ...perEnvironment(schema, "proposal", "", "proposed_at, id"),
    ...perEnvironment(schema, "proposal", "status", "status, proposed_at, id"),

    `create table ${schema}.hour_counted (
  hour timestamptz(3) not null,
  counted_at timestamptz(3) not null,
  constraint hour_counted_pkey primary key (hour)
)`,
    `create table ${schema}.hour_count (
  environment text collate "C" not null,
  hour timestamptz(3) not null,
  fact text collate "C" not null,
  currency text collate "C" not null,
  count bigint not null,
  amount_minor numeric,
  constraint hour_count_pkey primary key (environment, hour, fact, currency),
  constraint hour_count_environment_check check (environment in ('TEST', 'LIVE')),
  constraint hour_count_count_check check (count >= 1)
)`
  ]
}
