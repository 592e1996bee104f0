import type { Migration } from "./Migration.js"

const results = `('MATCH', 'PARTIAL', 'NO_MATCH', 'NOT_CHECKED')`
const kinds = `('bvn', 'nin', 'vnin', 'phone', 'nin_phone')`
const methods = `('MERCHANT_ATTESTED', 'HOLDER_CODE', 'REGISTRY_CONSENT')`

/** Whether a result `e` proves the person, by the rule of the default policy. */
const provesPerson = `'NO_MATCH' not in (e.first_name_result, e.last_name_result, e.date_of_birth_result, e.selfie_result)
  and (e.selfie_result = 'MATCH'
    or (e.first_name_result, e.last_name_result, e.date_of_birth_result) = ('MATCH', 'MATCH', 'MATCH'))`

/**
 * What verifications prove of people, and by which method the person consented.
 *
 * `consumer.kyc_evidence_count` is the version on which a standing is decided: a commit that finds another count decides
 * again. Verifications that ended before this step leave evidence too, and a status that none of it proves is withdrawn.
 */
export const migration: Migration = {
  id: 20,
  name: "kyc_evidence",
  statements: (schema) => [
    `alter table ${schema}.verification
  add column consent_method text collate "C" not null default 'MERCHANT_ATTESTED',
  add constraint verification_consent_method_check check (consent_method in ${methods})`,
    `alter table ${schema}.verification alter column consent_method drop default`,

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
    foreign key (environment, user_id) references ${schema}.consumer (environment, id),
  constraint kyc_evidence_environment_check check (environment in ('TEST', 'LIVE')),
  constraint kyc_evidence_kind_check check (kind in ${kinds}),
  constraint kyc_evidence_first_name_check check (first_name_result in ${results}),
  constraint kyc_evidence_last_name_check check (last_name_result in ${results}),
  constraint kyc_evidence_date_of_birth_check check (date_of_birth_result in ${results}),
  constraint kyc_evidence_selfie_check check (selfie_result in ${results}),
  constraint kyc_evidence_consent_method_check check (consent_method in ${methods})
)`,
    `create index kyc_evidence_person_idx on ${schema}.kyc_evidence (user_id, environment, kind, verification_id)`,
    `insert into ${schema}.kyc_evidence
select v.id, v.merchant_id, v.environment, v.user_id, v.kind, v.provider, v.first_name_result, v.last_name_result,
  v.date_of_birth_result, v.selfie_result, v.consent_method, v.tier, v.completed_at
from ${schema}.verification v where v.status = 'VERIFIED'`,
    `create trigger kyc_evidence_append_only before update or delete or truncate
  on ${schema}.kyc_evidence for each statement execute function ${schema}.refuse_change()`,

    `alter table ${schema}.consumer
  add column kyc_evidence_count integer not null default 0,
  add constraint consumer_kyc_evidence_count_check check (kyc_evidence_count >= 0)`,
    `update ${schema}.consumer c set kyc_evidence_count = e.total
from (select environment, user_id, count(*) as total from ${schema}.kyc_evidence group by environment, user_id) e
where e.environment = c.environment and e.user_id = c.id`,
    `update ${schema}.consumer c set kyc_status = null, kyc_tier = null
where c.kyc_status is not null and not exists (
  select 1 from ${schema}.kyc_evidence e
  where e.environment = c.environment and e.user_id = c.id and ${provesPerson}
)`
  ]
}
