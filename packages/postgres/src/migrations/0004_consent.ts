import { type Migration, perEnvironment, personTriggers } from "./Migration.js"

const listIndexes = (schema: string, table: string): ReadonlyArray<string> => [
  ...perEnvironment(schema, table, "", "merchant_id, id"),
  ...perEnvironment(schema, table, "all", "id"),
  ...perEnvironment(schema, table, "user", "user_id, id")
]

const inForce = " and blocked_at is not null and lifted_at is null"

const actorKinds = "('PERSON', 'HOST', 'OPERATOR', 'MERCHANT', 'SERVICE')"

const dataRequests = (schema: string): ReadonlyArray<string> => [
  `create table ${schema}.data_request (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  requested_fields text[] collate "C" not null,
  purpose text not null,
  status text collate "C" not null,
  approved_fields text[] collate "C",
  denial_reason text collate "C",
  decided_by_kind text collate "C",
  decided_by_name text, created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  event_id uuid,
  answer text,
  token_hash text collate "C",
  link_key_id text,
  link_sealed bytea,
  notify_at timestamptz(3),
  duration_days integer, return_url text, return_state text,
  constraint data_request_pkey primary key (id, merchant_id, environment),
  constraint data_request_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint data_request_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint data_request_event_fkey
    foreign key (merchant_id, environment, event_id) references ${schema}.event (merchant_id, environment, id) deferrable initially deferred,
  constraint data_request_environment_check check (environment in ('TEST', 'LIVE')),
  constraint data_request_status_check
    check (status in ('PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED')),
  constraint data_request_fields_check check (cardinality(requested_fields) between 1 and 32),
  constraint data_request_purpose_check check (length(purpose) >= 1),
  constraint data_request_approved_check
    check ((status = 'APPROVED') = (approved_fields is not null)
      and cardinality(approved_fields) >= 1 and approved_fields <@ requested_fields),
  constraint data_request_denied_check
    check ((status = 'DENIED') = (denial_reason is not null) and denial_reason in ('DECLINED', 'NOT_ME')),
  constraint data_request_decided_check
    check ((status in ('APPROVED', 'DENIED', 'CANCELLED')) = (decided_at is not null)),
  constraint data_request_actor_check
    check (decided_by_kind in ${actorKinds}
      and (decided_by_kind is null or decided_at is not null)
      and (decided_by_kind is not null or decided_by_name is null and status not in ('DENIED', 'CANCELLED'))),
  constraint data_request_event_check
    check (status = 'EXPIRED'
      or (event_id is not null) = (status in ('APPROVED', 'DENIED') and decided_by_kind is not null)),
  constraint data_request_expiry_check check (environment = 'TEST' or expires_at > created_at),
  constraint data_request_link_check
    check (num_nulls(token_hash, link_key_id, link_sealed) in (0, 3) and (token_hash is null or answer is not null)),
  constraint data_request_pending_check check (status <> 'PENDING' or token_hash is not null),
  constraint data_request_notify_check check (notify_at is null or status = 'PENDING'),
  constraint data_request_duration_check check (duration_days >= 0),
  constraint data_request_return_check
    check (return_url like 'https://%' and length(return_state) <= 255 and (return_state is null or return_url is not null))
) with (fillfactor = 80)`,
  `create unique index data_request_token_key on ${schema}.data_request (token_hash) where token_hash is not null`,
  ...listIndexes(schema, "data_request"),
  `create index data_request_person_idx on ${schema}.data_request (user_id, merchant_id, environment, id)`,
  ...perEnvironment(schema, "data_request", "pending", "id", " and status = 'PENDING'"),
  `create index data_request_lapse_idx on ${schema}.data_request (expires_at, id) where status = 'PENDING'`,
  `create index data_request_notice_idx on ${schema}.data_request (notify_at, id) where notify_at is not null`,
  `create index data_request_kept_idx on ${schema}.data_request (created_at, id) where answer is not null and status <> 'PENDING'`,
  `create index data_request_open_idx on ${schema}.data_request (user_id, merchant_id, environment, expires_at) where status = 'PENDING'`,
  // Used by the test clock, which brings forward the times of a merchant's newest pending requests.
  `create index data_request_test_open_idx on ${schema}.data_request (merchant_id, id) where environment = 'TEST' and status = 'PENDING'`,
  `create index data_request_made_idx on ${schema}.data_request (user_id, merchant_id, environment, created_at)`,
  `create index data_request_denied_idx on ${schema}.data_request (user_id, merchant_id, environment, decided_at) where status = 'DENIED'`,
  `create index data_request_disowned_idx on ${schema}.data_request (environment, id) where denial_reason = 'NOT_ME'`,
  `create index data_request_link_key on ${schema}.data_request (link_key_id) where link_key_id is not null`,

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
    references ${schema}.data_request (merchant_id, environment, id) deferrable initially deferred
)`,
  `create index data_request_key_request_idx on ${schema}.data_request_key (data_request_id)`
]

/** A row per merchant and person, with the block, if any. `version` detects concurrent changes. */
const asking = (schema: string): ReadonlyArray<string> => [
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
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint asking_request_fkey
    foreign key (merchant_id, environment, block_request_id)
    references ${schema}.data_request (merchant_id, environment, id),
  constraint asking_environment_check check (environment in ('TEST', 'LIVE')),
  constraint asking_reason_check check (block_reason in ('NOT_ME', 'STOP_ASKING')),
  constraint asking_block_check
    check (num_nulls(block_reason, block_request_id, blocked_at) in (0, 3)
      and (lifted_at is null or blocked_at is not null))
) with (fillfactor = 70)`,
  ...perEnvironment(schema, "asking", "", "merchant_id, blocked_at, user_id", inForce),
  ...perEnvironment(schema, "asking", "all", "blocked_at, merchant_id, user_id", inForce)
]

const grants = (schema: string): ReadonlyArray<string> => [
  `create table ${schema}.consent_grant (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  fields text[] collate "C" not null,
  purpose text not null,
  origin text collate "C" not null,
  data_request_id uuid,
  granted_by_kind text collate "C" not null,
  granted_by_name text,
  status text collate "C" not null,
  granted_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  revoked_by_kind text collate "C",
  revoked_by_name text, revocation_reason text,
  event_id uuid not null, end_event_id uuid, one_time boolean not null default false, used_at timestamptz(3),
  constraint consent_grant_pkey primary key (id, merchant_id, environment),
  constraint consent_grant_request_key unique (data_request_id, merchant_id, environment),
  constraint consent_grant_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint consent_grant_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint consent_grant_request_fkey
    foreign key (merchant_id, environment, data_request_id)
    references ${schema}.data_request (merchant_id, environment, id),
  constraint consent_grant_event_fkey
    foreign key (merchant_id, environment, event_id) references ${schema}.event (merchant_id, environment, id) deferrable initially deferred,
  constraint consent_grant_end_event_fkey
    foreign key (merchant_id, environment, end_event_id) references ${schema}.event (merchant_id, environment, id) deferrable initially deferred,
  constraint consent_grant_environment_check check (environment in ('TEST', 'LIVE')),
  constraint consent_grant_status_check check (status in ('ACTIVE', 'REVOKED', 'EXPIRED')),
  constraint consent_grant_fields_check check (cardinality(fields) between 1 and 32),
  constraint consent_grant_purpose_check check (length(purpose) >= 1),
  constraint consent_grant_origin_check
    check (origin in ('REQUEST', 'HOST', 'OPERATOR') and (origin = 'REQUEST') = (data_request_id is not null)),
  constraint consent_grant_actor_check check (granted_by_kind in ${actorKinds}),
  constraint consent_grant_expiry_check check (environment = 'TEST' or expires_at > granted_at),
  constraint consent_grant_revoked_check
    check ((status = 'REVOKED') = (revoked_at is not null) and (status = 'REVOKED') = (revoked_by_kind is not null)
      and revoked_by_kind in ${actorKinds}
      and (status = 'REVOKED' or revoked_by_name is null and revocation_reason is null)),
  constraint consent_grant_used_check check (used_at is null or one_time and status = 'EXPIRED')
) with (fillfactor = 80)`,
  ...listIndexes(schema, "consent_grant"),
  `create index consent_grant_person_idx on ${schema}.consent_grant (user_id, merchant_id, environment, id)`,
  `create index consent_grant_active_idx on ${schema}.consent_grant (user_id, merchant_id, environment) where status = 'ACTIVE'`,
  `create index consent_grant_test_active_idx on ${schema}.consent_grant (merchant_id, id) where environment = 'TEST' and status = 'ACTIVE'`,
  // The condition on `expires_at` is always true. It keeps lookups of active grants off this index, which the planner
  // would scan in full while it is small.
  `create index consent_grant_lapse_idx on ${schema}.consent_grant (expires_at, id) where status = 'ACTIVE' and expires_at is not null`
]

/** Constraints check each receipt's hash, and that only a chain's first receipt has a previous hash of zeros. */
const receipts = (schema: string): ReadonlyArray<string> => [
  `create function ${schema}.receipt_hash(previous_hash text, body text) returns text
  language sql immutable strict parallel safe
return encode(sha256(convert_to(previous_hash || body, 'UTF8')), 'hex')`,

  `create table ${schema}.consent_receipt (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  sequence bigint not null,
  body text not null,
  previous_hash text collate "C" not null,
  hash text collate "C" not null,
  constraint consent_receipt_pkey primary key (id, merchant_id, environment),
  constraint consent_receipt_place_key unique (merchant_id, environment, sequence),
  constraint consent_receipt_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint consent_receipt_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint consent_receipt_environment_check check (environment in ('TEST', 'LIVE')),
  constraint consent_receipt_first_check
    check (sequence >= 1 and (sequence = 1) = (previous_hash = repeat('0', 64))),
  constraint consent_receipt_hash_check check (hash = ${schema}.receipt_hash(previous_hash, body))
)`,
  `create index consent_receipt_person_idx on ${schema}.consent_receipt (user_id, merchant_id, environment, sequence)`,
  `create index consent_receipt_owner_idx on ${schema}.consent_receipt (user_id, environment, id)`,
  ...personTriggers(schema, "consent_receipt"),

  `create table ${schema}.receipt_chain_end (
  merchant_id uuid not null,
  environment text collate "C" not null,
  sequence bigint not null,
  previous_hash text collate "C" not null,
  hash text collate "C" not null,
  constraint receipt_chain_end_pkey primary key (merchant_id, environment),
  constraint receipt_chain_end_receipt_fkey
    foreign key (merchant_id, environment, sequence)
    references ${schema}.consent_receipt (merchant_id, environment, sequence) deferrable initially deferred
) with (fillfactor = 50)`
]

const identityReads = (schema: string): ReadonlyArray<string> => [
  `create table ${schema}.identity_read (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  fields text[] collate "C" not null,
  api_key_id uuid,
  read_at timestamptz(3) not null,
  constraint identity_read_pkey primary key (id, merchant_id, environment),
  constraint identity_read_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint identity_read_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint identity_read_environment_check check (environment in ('TEST', 'LIVE'))
)`,
  ...listIndexes(schema, "identity_read"),
  `create index identity_read_time_idx on ${schema}.identity_read (read_at, id)`,
  `create index identity_read_person_idx on ${schema}.identity_read (user_id, merchant_id, environment, id)`,
  ...personTriggers(schema, "identity_read")
]

/** A code's `destination` is masked, and null if unknown. */
const pages = (schema: string): ReadonlyArray<string> => [
  `create table ${schema}.management_link (
  token_hash text collate "C" not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  merchant_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  data_request_id uuid,
  constraint management_link_pkey primary key (token_hash),
  constraint management_link_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint management_link_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint management_link_environment_check check (environment in ('TEST', 'LIVE')),
  constraint management_link_expiry_check check (expires_at > created_at)
)`,
  `create index management_link_expiry_idx on ${schema}.management_link (expires_at)`,
  `create index management_link_person_idx on ${schema}.management_link (user_id, environment)`,

  `create table ${schema}.code_challenge (
  link_hash text collate "C" not null,
  code_hash text collate "C",
  tries_left integer not null,
  expires_at timestamptz(3) not null,
  sends integer not null,
  window_ends_at timestamptz(3) not null,
  destination text,
  constraint code_challenge_pkey primary key (link_hash),
  constraint code_challenge_tries_check check (tries_left >= 0),
  constraint code_challenge_sends_check check (sends >= 1)
) with (fillfactor = 70)`,
  `create index code_challenge_window_idx on ${schema}.code_challenge (window_ends_at)`
]

/**
 * Consent: requests, grants, receipts and reads, and the data behind the hosted page. A grant made by an approval
 * references its request. Retention deletes a request's response and link; an erasure deletes the link earlier.
 * Idempotency keys have their own table, since a request may have several. A `duration_days` of 0 means one read.
 */
export const migration: Migration = {
  id: 4,
  name: "consent",
  statements: (schema) => [
    ...dataRequests(schema),
    ...asking(schema),
    ...grants(schema),
    ...receipts(schema),
    ...identityReads(schema),
    ...pages(schema)
  ]
}
