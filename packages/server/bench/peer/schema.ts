/**
 * The peer's tables, reduced to what a refund with Surety's guarantees needs. A low fillfactor leaves room for HOT
 * updates, which touch no index. Transfers have no foreign keys to accounts, since checking them would lock the
 * contended settlement account.
 */
export const schema = `
create table merchants (
  id uuid primary key,
  name text not null,
  status text not null,
  refunds_enabled boolean not null default true,
  settlement_overdraft boolean not null default false
);

create table api_keys (
  id uuid primary key,
  hash text not null unique,
  merchant_id uuid not null references merchants,
  environment text not null,
  revoked_at timestamptz
);

create table accounts (
  id bigint generated always as identity primary key,
  environment text not null,
  kind text not null,
  owner text not null,
  currency text not null,
  balance_minor bigint not null default 0,
  unique (environment, kind, owner, currency)
) with (fillfactor = 50);

create table payments (
  merchant_id uuid not null references merchants,
  environment text not null,
  id text not null,
  reference text,
  method text not null,
  status text not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  refunded_minor bigint not null default 0 check (refunded_minor between 0 and amount_minor),
  user_id text,
  service_id text,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (merchant_id, environment, id),
  unique (merchant_id, environment, reference)
) with (fillfactor = 50);

create table refunds (
  id uuid primary key,
  merchant_id uuid not null,
  environment text not null,
  idempotency_key text not null,
  fingerprint text not null,
  answer text not null,
  payment_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  reason text,
  merchant_reference text,
  items jsonb,
  status text not null,
  completed_at timestamptz not null,
  unique (merchant_id, environment, idempotency_key),
  foreign key (merchant_id, environment, payment_id) references payments
);
create index on refunds (merchant_id, environment, payment_id);

create table transfers (
  id uuid primary key,
  kind text not null,
  debit_account bigint not null,
  credit_account bigint not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  cause text not null,
  at timestamptz not null,
  check (debit_account <> credit_account)
);

create table endpoints (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  environment text not null,
  url text not null,
  topics text[] not null,
  enabled boolean not null default true
);
create index on endpoints (merchant_id, environment);

create table events (
  id uuid primary key,
  merchant_id uuid not null,
  environment text not null,
  topic text not null,
  body text not null,
  occurred_at timestamptz not null
);
create index on events (merchant_id, environment, id);

create table deliveries (
  id uuid primary key default uuidv7(),
  event_id uuid not null references events,
  endpoint_id uuid not null references endpoints,
  status text not null default 'PENDING',
  attempts int not null default 0,
  next_attempt_at timestamptz
);
create index on deliveries (next_attempt_at) where status = 'PENDING';
`
