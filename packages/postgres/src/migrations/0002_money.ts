import { platformBooks } from "../ledger/AccountRow.js"
import { indexOnlyPlans } from "../sql/indexOnlyPlans.js"
import { appendOnlyTriggers, type Migration, perEnvironment, personTriggers } from "./Migration.js"

/** Builds SQL for a BRIN index by transaction id, which rows approximately follow in storage. */
const committedIndex = (schema: string, table: string): string =>
  `create index ${table}_committed_idx on ${schema}.${table}
  using brin (committed_by) with (pages_per_range = 16, autosummarize = on)`

/**
 * Payments, refunds and the ledger.
 *
 * Refunds do not repeat the reference, currency and consumer of their payment. Each merchant has its own set of books,
 * and so does the platform. In `account`, rows in the platform's books have a null `merchant_id`. An account has at
 * most one row per set, so merchants share no row. Foreign keys name the merchant of a `SETTLEMENT` account and the
 * consumer of a `WALLET`. The platform owns `EXTERNAL` accounts. A transfer stays within one set of books, named by its
 * `merchant_id`. There, the nil UUID stands for the platform.
 */
export const migration: Migration = {
  id: 2,
  name: "money",
  statements: (schema) => [
    `create table ${schema}.payment (
  merchant_id uuid not null,
  environment text collate "C" not null,
  id text collate "C" not null,
  reference text collate "C",
  method text collate "C" not null,
  status text collate "C" not null,
  currency text collate "C" not null,
  amount_minor bigint not null,
  refunded_minor bigint not null,
  user_id text collate "C",
  service_id text collate "C",
  created_at timestamptz(3) not null,
  settled_at timestamptz(3),
  event_id uuid,
  test_outcome text collate "C",
  constraint payment_pkey primary key (id, merchant_id, environment),
  constraint payment_reference_key unique (reference, merchant_id, environment),
  constraint payment_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint payment_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint payment_environment_check check (environment in ('TEST', 'LIVE')),
  constraint payment_id_check check (length(id) between 1 and 128),
  constraint payment_method_check check (method in ('WALLET', 'CARD', 'BANK_TRANSFER')),
  constraint payment_status_check check (status in ('PENDING', 'SETTLED')),
  constraint payment_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint payment_amount_check check (amount_minor between 1 and 999999999999999),
  constraint payment_refunded_check check (refunded_minor between 0 and amount_minor),
  constraint payment_settled_check check ((status = 'SETTLED') = (settled_at is not null)),
  constraint payment_pending_check check (status = 'SETTLED' or refunded_minor = 0),
  constraint payment_test_outcome_check
    check (test_outcome in ('pending', 'decline', 'unavailable', 'no_wallet', 'no_balance')
      and (test_outcome is null or environment = 'TEST'))
) with (fillfactor = 80)`,
    ...perEnvironment(schema, "payment", "", "created_at, id, merchant_id"),
    `create index payment_person_idx on ${schema}.payment (user_id, environment, created_at)
      where user_id is not null`,

    // Columns of 8 bytes come first, then those of 4, to avoid padding. No column is read by position.
    `create table ${schema}.refund (
  amount_minor bigint not null,
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  leased_until timestamptz(3),
  committed_by bigint not null default (pg_current_xact_id()::text::bigint),
  fence integer not null default 0,
  id uuid not null,
  merchant_id uuid not null,
  event_id uuid,
  environment text collate "C" not null,
  status text collate "C" not null,
  payment_id text collate "C" not null,
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  reason text,
  merchant_reference text,
  answer text,
  items jsonb,
  played text collate "C",
  constraint refund_pkey primary key (merchant_id, environment, id),
  constraint refund_payment_fkey
    foreign key (merchant_id, environment, payment_id) references ${schema}.payment (merchant_id, environment, id),
  constraint refund_status_check check (status in ('PENDING', 'COMPLETED', 'FAILED')),
  constraint refund_amount_check check (amount_minor between 1 and 999999999999999),
  constraint refund_completed_check check ((status = 'COMPLETED') = (completed_at is not null)),
  constraint refund_answer_check check (answer is null or status = 'COMPLETED'),
  constraint refund_event_check check (status <> 'COMPLETED' or answer is not null or event_id is not null),
  constraint refund_played_check
    check (played in ('pending', 'decline', 'unavailable') and (played is null or environment = 'TEST'))
)`,
    // Hashes a key of any length, its merchant and its environment to 16 bytes for an index. The function is inlined,
    // so the planner sees only built-in functions.
    `create function ${schema}.key_hash(key text, merchant_id uuid, environment text) returns uuid
  language sql immutable parallel safe
return encode(substr(sha256(decode(replace(key || environment, '\\', '\\\\'), 'escape') || uuid_send(merchant_id)), 1, 16), 'hex')::uuid`,
    `create unique index refund_idempotency_key on ${schema}.refund (${schema}.key_hash(idempotency_key, merchant_id, environment)) where status <> 'FAILED'`,
    committedIndex(schema, "refund"),
    // A lookup by id alone names both environments, so it uses this index.
    `create index refund_newest_idx on ${schema}.refund (environment, id)`,
    `create index refund_failed_idx on ${schema}.refund (environment, id) where status = 'FAILED'`,
    `create index refund_payment_idx on ${schema}.refund (${schema}.key_hash(payment_id, merchant_id, environment), id)`,
    // Excludes refunds that wait for a test helper, since there may be many.
    `create unique index refund_pending_idx on ${schema}.refund (id)
  where status = 'PENDING' and played is distinct from 'pending'`,
    `create index refund_waiting_idx on ${schema}.refund (environment, id) where status = 'PENDING'`,
    `create index refund_merchant_reference_idx on ${schema}.refund (merchant_reference, environment)
  where merchant_reference is not null`,

    `create table ${schema}.account (
  id bigint not null generated always as identity,
  environment text collate "C" not null,
  kind text collate "C" not null,
  currency text collate "C" not null,
  merchant_id uuid,
  user_id text collate "C",
  balance_minor bigint not null,
  opens_account boolean not null default true,
  books uuid not null generated always as (coalesce(merchant_id, '${platformBooks}')) stored,
  constraint account_pkey primary key (id),
  constraint account_key unique nulls not distinct (user_id, merchant_id, environment, currency, kind),
  constraint account_books_key unique (id, environment, currency, books),
  constraint account_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint account_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint account_environment_check check (environment in ('TEST', 'LIVE')),
  constraint account_kind_check check (kind in ('WALLET', 'SETTLEMENT', 'EXTERNAL')),
  constraint account_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint account_owner_check
    check ((kind <> 'SETTLEMENT' or merchant_id is not null) and (kind = 'WALLET') = (user_id is not null))
) with (fillfactor = 50)`,
    // Lists show an account once, by its first row. These indexes omit its later rows in other sets of books.
    ...perEnvironment(schema, "account", "all", "id", " and opens_account"),
    `create index account_external_idx on ${schema}.account (environment, currency, id) where kind = 'EXTERNAL'`,
    `create index account_merchant_idx on ${schema}.account (merchant_id, id) where merchant_id is not null`,
    // Clears `opens_account` on later rows. Concurrent first rows may all keep it, so lists take the lowest id.
    `create function ${schema}.note_later_part() returns trigger language plpgsql
  ${indexOnlyPlans}
as $$
begin
  if (case new.kind
    when 'WALLET' then exists (
      select from ${schema}.account a
      where a.user_id = new.user_id and a.environment = new.environment and a.currency = new.currency
        and a.kind = 'WALLET' and a.id < new.id
    )
    when 'EXTERNAL' then exists (
      select from ${schema}.account a
      where a.kind = 'EXTERNAL' and a.environment = new.environment and a.currency = new.currency and a.id < new.id
    )
    else false
  end) then
    update ${schema}.account a set opens_account = false where a.id = new.id;
  end if;
  return null;
end
$$`,
    `create trigger account_later_part after insert on ${schema}.account
  for each row execute function ${schema}.note_later_part()`,

    `create table ${schema}.operator_transfer (
  id uuid not null,
  kind text collate "C" not null,
  direction text collate "C",
  environment text collate "C" not null,
  currency text collate "C" not null,
  amount_minor bigint not null,
  merchant_id uuid,
  user_id text collate "C",
  service_id text collate "C",
  reason text not null,
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  at timestamptz(3) not null,
  committed_by bigint not null default (pg_current_xact_id()::text::bigint),
  constraint operator_transfer_pkey primary key (id),
  constraint operator_transfer_key unique (idempotency_key, environment),
  constraint operator_transfer_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint operator_transfer_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint operator_transfer_kind_check check (kind in ('PAYOUT', 'WITHDRAWAL', 'FUNDING', 'ADJUSTMENT')),
  constraint operator_transfer_direction_check
    check (direction in ('CREDIT', 'DEBIT') and (kind = 'ADJUSTMENT') = (direction is not null)),
  constraint operator_transfer_environment_check check (environment in ('TEST', 'LIVE')),
  constraint operator_transfer_currency_check check (currency ~ '^[A-Z]{3}$'),
  constraint operator_transfer_amount_check check (amount_minor between 1 and 999999999999999),
  constraint operator_transfer_owner_check check (
    num_nonnulls(merchant_id, user_id) = 1 and (kind <> 'PAYOUT' or merchant_id is not null)
      and (kind <> 'WITHDRAWAL' or user_id is not null)
  ),
  constraint operator_transfer_reason_check check (length(reason) between 1 and 500)
)`,

    `create table ${schema}.transfer (
  id uuid not null,
  kind text collate "C" not null,
  environment text collate "C" not null,
  currency text collate "C" not null,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  amount_minor bigint not null,
  merchant_id uuid not null,
  payment_id text collate "C",
  refund_id uuid,
  operator_transfer_id uuid,
  at timestamptz(3) not null,
  committed_by bigint not null default (pg_current_xact_id()::text::bigint),
  constraint transfer_pkey primary key (id),
  constraint transfer_debit_fkey
    foreign key (debit_account_id, environment, currency, merchant_id)
    references ${schema}.account (id, environment, currency, books),
  constraint transfer_credit_fkey
    foreign key (credit_account_id, environment, currency, merchant_id)
    references ${schema}.account (id, environment, currency, books),
  constraint transfer_payment_fkey
    foreign key (merchant_id, environment, payment_id) references ${schema}.payment (merchant_id, environment, id),
  constraint transfer_refund_fkey
    foreign key (merchant_id, environment, refund_id) references ${schema}.refund (merchant_id, environment, id),
  constraint transfer_operator_fkey foreign key (operator_transfer_id) references ${schema}.operator_transfer (id),
  constraint transfer_kind_check
    check (kind in ('FUNDING', 'PAYMENT', 'REFUND', 'REFUND_REVERSAL', 'PAYOUT', 'WITHDRAWAL', 'ADJUSTMENT')),
  constraint transfer_accounts_check check (debit_account_id <> credit_account_id),
  constraint transfer_amount_check check (amount_minor between 1 and 999999999999999),
  constraint transfer_cause_check
    check (num_nonnulls(payment_id, refund_id, operator_transfer_id) = 1
      and (kind <> 'PAYMENT' or payment_id is not null)
      and (kind in ('REFUND', 'REFUND_REVERSAL')) = (refund_id is not null)
      and (kind not in ('PAYOUT', 'WITHDRAWAL', 'ADJUSTMENT') or operator_transfer_id is not null)
      and (payment_id is null or kind in ('FUNDING', 'PAYMENT'))),
  constraint transfer_merchant_check check (merchant_id <> '${platformBooks}' or operator_transfer_id is not null)
)`,
    `create unique index transfer_refund_key on ${schema}.transfer (refund_id, kind) where refund_id is not null`,
    `create unique index transfer_payment_key on ${schema}.transfer (${schema}.key_hash(payment_id, merchant_id, environment), kind) where payment_id is not null`,
    `create unique index transfer_operator_key on ${schema}.transfer (operator_transfer_id) where operator_transfer_id is not null`,
    `create index transfer_debit_idx on ${schema}.transfer (debit_account_id, id)`,
    `create index transfer_credit_idx on ${schema}.transfer (credit_account_id, id)`,
    committedIndex(schema, "transfer"),
    committedIndex(schema, "operator_transfer"),
    `create index operator_transfer_person_idx on ${schema}.operator_transfer (user_id, environment) where user_id is not null`,
    `create index operator_transfer_merchant_idx on ${schema}.operator_transfer (merchant_id, id) where merchant_id is not null`,
    ...personTriggers(schema, "operator_transfer"),
    ...appendOnlyTriggers(schema, "transfer"),

    `create table ${schema}.audit_run (
  id bigint not null generated always as identity,
  at timestamptz(3) not null,
  duration_millis integer not null,
  by text not null,
  chains integer not null,
  checks jsonb not null,
  constraint audit_run_pkey primary key (id),
  constraint audit_run_checks_check check (jsonb_typeof(checks) = 'array')
)`,
    `create index audit_run_at_idx on ${schema}.audit_run (at)`,
    ...appendOnlyTriggers(schema, "audit_run"),

    // The verified point: in its epoch, transactions with ids below `through` were checked. Only the owner writes it.
    `create table ${schema}.verified_point (
  one boolean not null default true,
  epoch integer not null,
  through bigint not null,
  transfers bigint not null,
  constraint verified_point_pkey primary key (one),
  constraint verified_point_one_check check (one)
)`,
    // Sums of an account's postings below the verified point, and whether its balance has been found correct since the
    // sums changed.
    `create table ${schema}.verified_account (
  account_id bigint not null,
  debits_minor numeric not null,
  credits_minor numeric not null,
  is_checked boolean not null default false,
  constraint verified_account_pkey primary key (account_id)
) with (fillfactor = 70)`,
    `create index verified_account_unchecked_idx on ${schema}.verified_account (account_id) where not is_checked`,
    `create table ${schema}.verified_total (
  environment text collate "C" not null,
  currency text collate "C" not null,
  debits_minor numeric not null,
  credits_minor numeric not null,
  constraint verified_total_pkey primary key (environment, currency)
)`,
    // The last verified receipt of each chain.
    `create table ${schema}.verified_chain (
  merchant_id uuid not null,
  environment text collate "C" not null,
  sequence bigint not null,
  hash text collate "C" not null,
  constraint verified_chain_pkey primary key (merchant_id, environment)
)`,
    // Records that every run checks again: those with a fault, and pending refunds.
    `create table ${schema}.verified_open (
  kind text collate "C" not null,
  subject text[] collate "C" not null,
  constraint verified_open_pkey primary key (kind, subject),
  constraint verified_open_kind_check check (kind in ('refund', 'payment', 'transfer', 'event', 'grant', 'request', 'verification'))
)`
  ]
}
