import { type Migration, personTriggers } from "./Migration.js"

const results = `('MATCH', 'PARTIAL', 'NO_MATCH', 'NOT_CHECKED')`
const kinds = `('bvn', 'nin', 'vnin', 'phone', 'nin_phone')`
const methods = `('MERCHANT_ATTESTED', 'HOLDER_CODE', 'REGISTRY_CONSENT')`

/**
 * Managed verifications, and the evidence they produce about people.
 *
 * Identity numbers, selfies, and the values compared with the provider's record are never stored. A number is stored
 * as a keyed hash and its last four characters, and a comparison as its result. An open verification always has a due
 * time, so none is forgotten.
 */
export const migration: Migration = {
  id: 5,
  name: "kyc",
  statements: (schema) => [
    `create table ${schema}.verification (
  id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  service_id text collate "C" not null,
  kind text collate "C" not null,
  id_hash text collate "C" not null,
  id_last4 text not null,
  tier text,
  status text collate "C" not null,
  first_name_result text collate "C" not null,
  last_name_result text collate "C" not null,
  date_of_birth_result text collate "C" not null,
  selfie_result text collate "C" not null,
  failure_reason text collate "C",
  provider text collate "C",
  provider_reference text collate "C",
  created_at timestamptz(3) not null,
  completed_at timestamptz(3),
  idempotency_key text collate "C",
  fingerprint text,
  answer text,
  fence integer not null,
  looks integer not null,
  due_at timestamptz(3),
  leased_until timestamptz(3),
  consent_method text collate "C" not null,
  next_action jsonb,
  codes integer not null default 0,
  event_id uuid,
  constraint verification_pkey primary key (id),
  constraint verification_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint verification_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint verification_event_fkey
    foreign key (merchant_id, environment, event_id) references ${schema}.event (merchant_id, environment, id)
    deferrable initially deferred,
  constraint verification_event_check check (event_id is null or completed_at is not null),
  constraint verification_environment_check check (environment in ('TEST', 'LIVE')),
  constraint verification_kind_check check (kind in ${kinds}),
  constraint verification_id_hash_check check (id_hash ~ '^[^.]+[.].+$'),
  constraint verification_id_last4_check check (char_length(id_last4) <= 4),
  constraint verification_status_check
    check (status in ('PENDING', 'REQUIRES_ACTION', 'VERIFIED', 'FAILED', 'ERROR')),
  constraint verification_first_name_check check (first_name_result in ${results}),
  constraint verification_last_name_check check (last_name_result in ${results}),
  constraint verification_date_of_birth_check check (date_of_birth_result in ${results}),
  constraint verification_selfie_check check (selfie_result in ${results}),
  constraint verification_failure_reason_check check (failure_reason ~ '^[a-z][a-z0-9_]{0,63}$'),
  constraint verification_failure_check check ((status in ('FAILED', 'ERROR')) = (failure_reason is not null)),
  constraint verification_provider_reference_check check (provider_reference ~ '^[!-~]{1,128}$'),
  constraint verification_provider_check
    check (provider is not null or (provider_reference is null and due_at is null)),
  constraint verification_completed_check
    check ((status in ('PENDING', 'REQUIRES_ACTION')) = (completed_at is null)),
  constraint verification_due_check check ((completed_at is null) = (due_at is not null)),
  constraint verification_lease_check check (leased_until is null or due_at is not null),
  constraint verification_key_check
    check ((idempotency_key is null) = (fingerprint is null) and (idempotency_key is not null or answer is null)),
  constraint verification_answer_check check (due_at is not null or (idempotency_key is null) = (answer is null)),
  constraint verification_open_key_check check (due_at is null or idempotency_key is not null),
  constraint verification_fence_check check (fence > 0),
  constraint verification_looks_check check (looks >= 0),
  constraint verification_codes_check check (codes >= 0),
  constraint verification_next_action_check check ((status = 'REQUIRES_ACTION') = (next_action is not null)),
  constraint verification_consent_method_check check (consent_method in ${methods})
)`,
    `create unique index verification_idempotency_key
  on ${schema}.verification (idempotency_key, merchant_id, environment) where idempotency_key is not null`,
    `create index verification_provider_reference_idx
  on ${schema}.verification (provider_reference, merchant_id, environment, id) where provider_reference is not null`,
    `create index verification_due_idx on ${schema}.verification (due_at, id) where due_at is not null`,
    `create index verification_open_idx on ${schema}.verification (environment, created_at, id) where due_at is not null`,
    // Used by the test clock, like `data_request_test_open_idx` and `consent_grant_test_active_idx`.
    `create index verification_test_open_idx on ${schema}.verification (merchant_id, created_at, id)
  where environment = 'TEST' and due_at is not null`,
    `create index verification_kept_idx on ${schema}.verification (created_at, id)
  where idempotency_key is not null and due_at is null`,
    `create index verification_merchant_idx
  on ${schema}.verification (merchant_id, environment, created_at desc, id desc)`,
    `create index verification_environment_idx on ${schema}.verification (environment, created_at desc, id desc)`,

    `create index verification_person_idx on ${schema}.verification (user_id, environment)`,

    `create table ${schema}.kyc_evidence (
  verification_id uuid not null,
  merchant_id uuid not null,
  environment text collate "C" not null,
  user_id text collate "C" not null,
  kind text collate "C" not null,
  provider text collate "C" not null,
  first_name_result text collate "C" not null,
  last_name_result text collate "C" not null,
  date_of_birth_result text collate "C" not null,
  selfie_result text collate "C" not null,
  consent_method text collate "C" not null,
  tier text,
  proved_at timestamptz(3) not null,
  constraint kyc_evidence_pkey primary key (verification_id),
  constraint kyc_evidence_verification_fkey foreign key (verification_id) references ${schema}.verification (id),
  constraint kyc_evidence_merchant_fkey foreign key (merchant_id) references ${schema}.merchant (id),
  constraint kyc_evidence_consumer_fkey
    foreign key (environment, user_id) references ${schema}.consumer (environment, id) on update cascade,
  constraint kyc_evidence_environment_check check (environment in ('TEST', 'LIVE')),
  constraint kyc_evidence_kind_check check (kind in ${kinds}),
  constraint kyc_evidence_first_name_check check (first_name_result in ${results}),
  constraint kyc_evidence_last_name_check check (last_name_result in ${results}),
  constraint kyc_evidence_date_of_birth_check check (date_of_birth_result in ${results}),
  constraint kyc_evidence_selfie_check check (selfie_result in ${results}),
  constraint kyc_evidence_consent_method_check check (consent_method in ${methods})
)`,
    `create index kyc_evidence_person_idx on ${schema}.kyc_evidence (user_id, environment, kind, verification_id)`,
    ...personTriggers(schema, "kyc_evidence")
  ]
}
