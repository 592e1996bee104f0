-- A record stands as JSON text in `record`. What a query or a constraint needs of it is a generated column, so nothing is
-- stored twice. Times are ISO texts in UTC, which sort by time; amounts are integers of 64 bits, in minor units.

create table merchant (
  record text not null,
  id text not null generated always as (record ->> 'id') unique,
  business_code text not null generated always as (record ->> 'businessCode') unique,
  created_at text not null generated always as (record ->> 'createdAt')
) strict;
create index merchant_created on merchant (created_at, id);

create table merchant_status_change (
  sequence integer primary key,
  record text not null,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id)
) strict;
create index merchant_status_change_merchant on merchant_status_change (merchant_id);

create table api_key (
  record text not null,
  id text not null generated always as (record ->> 'id') unique,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  hash text not null generated always as (record ->> 'hash') unique
) strict;
create index api_key_merchant on api_key (merchant_id, id);

create table consumer (
  record text not null,
  environment text not null generated always as (record ->> 'environment'),
  id text not null generated always as (record ->> 'id'),
  service_id text not null generated always as (record ->> 'serviceId'),
  created_at text not null generated always as (record ->> 'createdAt'),
  unique (environment, id),
  unique (environment, service_id)
) strict;
create index consumer_created on consumer (environment, created_at, id);

create table consumer_link (
  merchant_id text not null references merchant (id),
  environment text not null,
  user_id text not null,
  linked_at text not null,
  primary key (merchant_id, environment, user_id),
  foreign key (environment, user_id) references consumer (environment, id)
) strict, without rowid;
create index consumer_link_linked on consumer_link (merchant_id, environment, linked_at, user_id);

create table payment (
  record text not null,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  environment text not null generated always as (record ->> 'environment'),
  id text not null generated always as (record ->> 'id'),
  reference text generated always as (record ->> 'reference'),
  created_at text not null generated always as (record ->> 'createdAt'),
  amount_minor integer not null generated always as (record ->> '$.amount.minor') check (amount_minor >= 0),
  refunded_minor integer not null generated always as (record ->> 'refundedMinor'),
  check (refunded_minor between 0 and amount_minor),
  unique (merchant_id, environment, id),
  unique (merchant_id, environment, reference)
) strict;
create index payment_created on payment (environment, created_at, id);

create table refund (
  record text not null,
  id text not null generated always as (record ->> '$.refund.id') unique,
  merchant_id text not null generated always as (record ->> '$.refund.merchantId'),
  environment text not null generated always as (record ->> '$.refund.environment'),
  payment_id text not null generated always as (record ->> '$.refund.paymentId'),
  amount_minor integer not null generated always as (record ->> '$.refund.amount.minor') check (amount_minor > 0),
  status text not null generated always as (record ->> '$.refund.status'),
  created_at text not null generated always as (record ->> '$.refund.createdAt'),
  idempotency_key text not null generated always as (record ->> 'idempotencyKey'),
  held_until text generated always as (record ->> 'heldUntil'),
  foreign key (merchant_id, environment, payment_id) references payment (merchant_id, environment, id)
) strict;
create unique index refund_key on refund (merchant_id, environment, idempotency_key) where status <> 'FAILED';
create index refund_payment on refund (merchant_id, environment, payment_id);
create index refund_created on refund (merchant_id, environment, created_at, id);
create index refund_pending on refund (created_at, id) where status = 'PENDING';

create table account (
  id integer primary key,
  environment text not null,
  kind text not null,
  owner text not null,
  currency text not null,
  balance_minor integer not null,
  unique (environment, kind, owner, currency)
) strict;

create table transfer (
  id text not null primary key,
  kind text not null,
  debit integer not null references account (id),
  credit integer not null references account (id) check (credit <> debit),
  amount_minor integer not null check (amount_minor > 0),
  cause text not null,
  at text not null
) strict;
create index transfer_cause on transfer (cause);
create trigger transfer_unchanged before update on transfer begin select raise(abort, 'transfers are final'); end;
create trigger transfer_kept before delete on transfer begin select raise(abort, 'transfers are final'); end;

create table webhook_endpoint (
  record text not null,
  id text not null generated always as (record ->> 'id') unique,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  environment text not null generated always as (record ->> 'environment'),
  status text not null generated always as (record ->> 'status'),
  failing_since text generated always as (record ->> 'failingSince'),
  max_per_second integer generated always as (record ->> 'maxPerSecond'),
  -- For how many days it is known to have been failing.
  failing_days integer not null default 0
) strict;
create index webhook_endpoint_merchant on webhook_endpoint (merchant_id, id);

-- One writer at a time makes `sequence` the order of the commits.
create table event (
  sequence integer primary key autoincrement,
  record text not null,
  -- The record that it tells of.
  cause text not null,
  id text not null generated always as (record ->> 'id') unique,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  environment text not null generated always as (record ->> 'environment'),
  topic text not null generated always as (record ->> 'topic'),
  occurred_at text not null generated always as (record ->> 'occurredAt'),
  test_for text generated always as (record ->> 'testFor')
) strict;
create index event_occurred on event (merchant_id, environment, occurred_at, id) where test_for is null;
create index event_sequence on event (merchant_id, environment, sequence) where test_for is null;
create index event_cause on event (cause);

create table delivery (
  record text not null,
  fence integer not null,
  leased_until text,
  id text not null generated always as (record ->> 'id') unique,
  event_id text not null generated always as (record ->> 'eventId') references event (id),
  endpoint_id text not null generated always as (record ->> 'endpointId'),
  status text not null generated always as (record ->> 'status'),
  next_attempt_at text generated always as (record ->> 'nextAttemptAt'),
  unique (event_id, endpoint_id),
  check ((status = 'PENDING') = (next_attempt_at is not null)),
  check (leased_until is null or status = 'PENDING')
) strict;
create index delivery_endpoint on delivery (endpoint_id, next_attempt_at, id) where status = 'PENDING';
create index delivery_due on delivery (next_attempt_at, id) where status = 'PENDING';
create index delivery_leased on delivery (endpoint_id, leased_until) where leased_until is not null;

create table delivery_attempt (
  sequence integer primary key,
  record text not null,
  delivery_id text not null generated always as (record ->> 'deliveryId') references delivery (id) on delete cascade
) strict;
create index delivery_attempt_delivery on delivery_attempt (delivery_id);

-- When deliveries were claimed of endpoints that have a rate.
create table endpoint_claim (
  endpoint_id text not null,
  at text not null
) strict;
create index endpoint_claim_at on endpoint_claim (endpoint_id, at);

create table data_request (
  record text not null,
  id text not null generated always as (record ->> '$.request.id') unique,
  merchant_id text not null generated always as (record ->> '$.request.merchantId') references merchant (id),
  environment text not null generated always as (record ->> '$.request.environment'),
  user_id text not null generated always as (record ->> '$.request.userId'),
  status text not null generated always as (record ->> '$.request.status'),
  denial_reason text generated always as (record ->> '$.request.denialReason'),
  decided_by text generated always as (record ->> '$.request.decidedBy.kind'),
  created_at text not null generated always as (record ->> '$.request.createdAt'),
  expires_at text not null generated always as (record ->> '$.request.expiresAt'),
  token_hash text generated always as (record ->> '$.link.tokenHash') unique,
  notify_at text generated always as (record ->> 'notifyAt'),
  check (notify_at is null or status = 'PENDING'),
  foreign key (environment, user_id) references consumer (environment, id)
) strict;
create index data_request_created on data_request (environment, created_at, id);
create index data_request_person on data_request (environment, user_id, merchant_id);
create index data_request_pending on data_request (expires_at, id) where status = 'PENDING';
create index data_request_notify on data_request (notify_at, id) where notify_at is not null;
create index data_request_kept on data_request (created_at, id) where record ->> '$.kept.answer' is not null;

-- The key that made a request, and those that asked the same while it was pending.
create table data_request_key (
  merchant_id text not null,
  environment text not null,
  idempotency_key text not null,
  data_request_id text not null references data_request (id),
  fingerprint text not null,
  kept_since text not null,
  primary key (merchant_id, environment, idempotency_key)
) strict;
create index data_request_key_request on data_request_key (data_request_id);

create table asking_block (
  record text not null,
  merchant_id text not null generated always as (record ->> 'merchantId') stored references merchant (id),
  environment text not null generated always as (record ->> 'environment') stored,
  user_id text not null generated always as (record ->> 'userId') stored,
  blocked_at text not null generated always as (record ->> 'blockedAt') stored,
  lifted_at text generated always as (record ->> 'liftedAt') stored,
  unique (merchant_id, environment, user_id),
  foreign key (environment, user_id) references consumer (environment, id)
) strict;

create table consent_grant (
  record text not null,
  id text not null generated always as (record ->> 'id') unique,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  environment text not null generated always as (record ->> 'environment'),
  user_id text not null generated always as (record ->> 'userId'),
  data_request_id text generated always as (record ->> 'dataRequestId') unique references data_request (id),
  status text not null generated always as (record ->> 'status'),
  granted_at text not null generated always as (record ->> 'grantedAt'),
  expires_at text not null generated always as (record ->> 'expiresAt') check (expires_at > granted_at),
  foreign key (environment, user_id) references consumer (environment, id)
) strict;
create index consent_grant_granted on consent_grant (environment, granted_at, id);
create index consent_grant_person on consent_grant (environment, user_id, merchant_id);
create index consent_grant_active on consent_grant (expires_at, id) where status = 'ACTIVE';

-- Whom a merchant may name: by a link, or by a grant whose end has not been recorded.
create view may_name as
  select merchant_id, environment, user_id from consumer_link
  union all
  select merchant_id, environment, user_id from consent_grant where status = 'ACTIVE';

create table identity_read (
  record text not null,
  id text not null generated always as (record ->> 'id') unique,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  environment text not null generated always as (record ->> 'environment'),
  user_id text not null generated always as (record ->> 'userId'),
  read_at text not null generated always as (record ->> 'readAt'),
  foreign key (environment, user_id) references consumer (environment, id)
) strict;
create index identity_read_read on identity_read (environment, read_at, id);
create trigger identity_read_unchanged before update on identity_read begin select raise(abort, 'readings are final'); end;
create trigger identity_read_kept before delete on identity_read begin select raise(abort, 'readings are final'); end;

create table consent_receipt (
  record text not null,
  id text not null generated always as (record ->> 'id') unique,
  merchant_id text not null generated always as (record ->> 'merchantId') references merchant (id),
  environment text not null generated always as (record ->> 'environment'),
  user_id text not null generated always as (record ->> 'userId'),
  sequence integer not null generated always as (record ->> 'sequence') check (sequence >= 1),
  unique (merchant_id, environment, sequence)
) strict;
create index consent_receipt_person on consent_receipt (environment, user_id, id);
create trigger consent_receipt_unchanged before update on consent_receipt begin select raise(abort, 'receipts are final'); end;
create trigger consent_receipt_kept before delete on consent_receipt begin select raise(abort, 'receipts are final'); end;

-- Where each chain of receipts ends, apart from the receipts, so that the loss of the newest shows.
create table receipt_chain (
  merchant_id text not null references merchant (id),
  environment text not null,
  sequence integer not null,
  hash text not null,
  primary key (merchant_id, environment)
) strict, without rowid;

create table management_link (
  record text not null,
  token_hash text not null generated always as (record ->> 'tokenHash') unique,
  expires_at text not null generated always as (record ->> 'expiresAt')
) strict;
create index management_link_expiry on management_link (expires_at);

create table code_challenge (
  link_hash text not null primary key,
  record text not null,
  window_ends_at text not null generated always as (record ->> 'windowEndsAt')
) strict;
create index code_challenge_window on code_challenge (window_ends_at);

create table secret_key (
  record text not null,
  key_id text not null generated always as (record ->> 'keyId') unique
) strict;

create table verification (
  record text not null,
  id text not null generated always as (record ->> '$.verification.id') unique,
  merchant_id text not null generated always as (record ->> '$.verification.merchantId') references merchant (id),
  environment text not null generated always as (record ->> '$.verification.environment'),
  user_id text not null generated always as (record ->> '$.verification.userId'),
  provider text generated always as (record ->> '$.verification.provider'),
  provider_reference text generated always as (record ->> '$.verification.providerReference'),
  created_at text not null generated always as (record ->> '$.verification.createdAt'),
  idempotency_key text generated always as (record ->> '$.kept.idempotencyKey'),
  -- Absent exactly once it has ended.
  due_at text generated always as (record ->> 'dueAt'),
  held_until text generated always as (record ->> 'heldUntil'),
  check ((due_at is not null) = (record ->> '$.verification.status' in ('PENDING', 'REQUIRES_ACTION'))),
  unique (merchant_id, environment, idempotency_key),
  foreign key (environment, user_id) references consumer (environment, id)
) strict;
create index verification_due on verification (due_at, id) where due_at is not null;
create index verification_created on verification (environment, created_at, id);
create index verification_provider_reference on verification (provider_reference) where provider_reference is not null;
create index verification_kept on verification (created_at, id) where idempotency_key is not null and due_at is null;

-- What verifications have proved of people. Never changed.
create table kyc_evidence (
  record text not null,
  verification_id text not null generated always as (record ->> 'verificationId') unique references verification (id),
  environment text not null generated always as (record ->> 'environment'),
  user_id text not null generated always as (record ->> 'userId'),
  proved_at text not null generated always as (record ->> 'provedAt'),
  foreign key (environment, user_id) references consumer (environment, id)
) strict;
create index kyc_evidence_person on kyc_evidence (environment, user_id, proved_at, verification_id);
create trigger kyc_evidence_unchanged before update on kyc_evidence begin select raise(abort, 'evidence is final'); end;
create trigger kyc_evidence_kept before delete on kyc_evidence begin select raise(abort, 'evidence is final'); end;

create table rate_limit (
  name text not null,
  key text not null,
  full_at_millis real not null,
  primary key (name, key)
) strict, without rowid;
