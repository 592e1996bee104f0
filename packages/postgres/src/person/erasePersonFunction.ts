import { genesis } from "@surety/core/consent/receipt/ReceiptChain"
import { changedPersonOf, isDetailsChange } from "../event/EventRow.js"
import type { SqlFunction } from "../migrations/Migration.js"
import { isRefundOf } from "../refund/RefundRow.js"

/** SQL for the ends of the person's grants as rows `e`, in the form of `GrantEndInput` in `erasePerson`. */
const ends = `json_to_recordset(plan -> 'ends') as e (
    id uuid, merchant_id uuid, status text, revoked_at timestamptz, revoked_by_kind text, revoked_by_name text,
    event_id uuid
  )`

const told = (key: "expired" | "verifications"): string =>
  `json_to_recordset(plan -> '${key}') as e (id uuid, event_id uuid)`

/**
 * Builds SQL that locks the person and the records whose state it checks. It returns null if the person is missing or a
 * refund is pending. It also returns null unless the plan ends exactly the person's active grants, pending requests and
 * open verifications. The locks keep these conditions true until the commit.
 */
const stands = (
  schema: string
): string => `-- Every commit locks its own record before the person. A decision locks the row of asking,
  -- then the request; the end of a grant locks the grant; a KYC result locks the verification. An erasure locks in
  -- the same order, so it cannot deadlock with them. Rows that appear before the person is locked fail the checks
  -- below.
  perform 1 from ${schema}.asking a
  where a.user_id = person_id and a.environment = person_environment
  order by a.merchant_id for update;
  perform 1 from ${schema}.data_request r
  where r.user_id = person_id and r.environment = person_environment and r.status = 'PENDING'
  order by r.id for update;
  perform 1 from ${schema}.consent_grant g
  where g.user_id = person_id and g.environment = person_environment and g.status = 'ACTIVE'
  order by g.merchant_id, g.id for update;
  perform 1 from ${schema}.verification v
  where v.user_id = person_id and v.environment = person_environment and v.due_at is not null
  order by v.id for update;

  perform 1 from ${schema}.consumer c
  where c.id = person_id and c.environment = person_environment and c.service_id = plan ->> 'service_id'
  for update;
  if not found then
    return null;
  end if;

  if (
    select array_agg(g.id order by g.id) from ${schema}.consent_grant g
    where g.user_id = person_id and g.environment = person_environment and g.status = 'ACTIVE'
  ) is distinct from (select array_agg(e.id order by e.id) from ${ends}) then
    return null;
  end if;

  if (
    select array_agg(r.id order by r.id) from ${schema}.data_request r
    where r.user_id = person_id and r.environment = person_environment and r.status = 'PENDING'
  ) is distinct from (
    select array_agg(p.id order by p.id) from (
      select c.id from json_to_recordset(plan -> 'cancelled') as c (id uuid)
      union all
      select e.id from ${told("expired")}
    ) p
  ) then
    return null;
  end if;

  if (
    select array_agg(v.id order by v.id) from ${schema}.verification v
    where v.user_id = person_id and v.environment = person_environment and v.due_at is not null
  ) is distinct from (select array_agg(e.id order by e.id) from ${told("verifications")}) then
    return null;
  end if;

  perform 1 from ${schema}.payment p
  where p.user_id = person_id and p.environment = person_environment
  order by p.merchant_id, p.id for no key update;
  if exists (
    select 1 from ${schema}.payment p
    join ${schema}.refund r
      on ${isRefundOf(schema, "r", "p")}
    where p.user_id = person_id and p.environment = person_environment and r.status = 'PENDING'
  ) then
    return null;
  end if;`

/**
 * Builds SQL that appends the plan's events, ends the grants and requests, and appends the receipts to their merchants'
 * chains.
 */
const endConsents = (
  schema: string
): string => `select count(*) into deliveries from ${schema}.append_events(plan -> 'events');

  update ${schema}.consent_grant g
  set status = e.status, revoked_at = e.revoked_at, revoked_by_kind = e.revoked_by_kind,
    revoked_by_name = e.revoked_by_name, end_event_id = e.event_id
  from ${ends}
  where g.id = e.id and g.merchant_id = e.merchant_id and g.environment = person_environment;

  for added in
    select p.* from json_to_recordset(plan -> 'receipts') as p (id uuid, merchant_id uuid, body text)
    order by p.merchant_id, p.id
  loop
    with chain_end as (
      insert into ${schema}.receipt_chain_end as e (merchant_id, environment, sequence, previous_hash, hash)
      values (
        added.merchant_id, person_environment, ${genesis.sequence + 1}, '${genesis.hash}',
        ${schema}.receipt_hash('${genesis.hash}', added.body)
      )
      on conflict (merchant_id, environment) do update
        set sequence = e.sequence + 1, previous_hash = e.hash, hash = ${schema}.receipt_hash(e.hash, added.body)
      returning merchant_id, environment, sequence, previous_hash, hash
    )
    insert into ${schema}.consent_receipt (
      id, merchant_id, environment, user_id, sequence, body, previous_hash, hash
    )
    select added.id, e.merchant_id, e.environment, person_id, e.sequence, added.body, e.previous_hash, e.hash
    from chain_end e;
  end loop;

  update ${schema}.data_request r
  set status = 'EXPIRED', event_id = e.event_id, notify_at = null
  from ${told("expired")}
  where r.id = e.id and r.user_id = person_id and r.environment = person_environment;
  update ${schema}.data_request r
  set status = 'CANCELLED', decided_by_kind = plan -> 'actor' ->> 'kind', decided_by_name = plan -> 'actor' ->> 'name',
    decided_at = erased, notify_at = null
  where r.user_id = person_id and r.environment = person_environment and r.status = 'PENDING';`

/** Builds SQL for an event's body with the pseudonym instead of the user id, and with an empty `providerReference`. */
const nameless = (alias: string): string => `regexp_replace(
    replace(${alias}.body, '"userId":' || to_json(person_id)::text, '"userId":' || to_json(plan ->> 'pseudonym')::text),
    '"providerReference":"([^"\\\\]|\\\\.)*"', '"providerReference":""', 'g'
  )`

/**
 * Builds SQL that deletes or blanks data that serves only to find or describe the person, except in the person's own
 * row. It also ends the person's open verifications, rights requests and host requests. In the bodies of events, the
 * pseudonym replaces the user id.
 */
const forget = (schema: string): string => `delete from ${schema}.code_challenge k
  where k.link_hash = plan ->> 'code_name'
    or k.link_hash in (
      select r.token_hash from ${schema}.data_request r
      where r.user_id = person_id and r.environment = person_environment and r.token_hash is not null
    )
    or k.link_hash in (
      select l.token_hash from ${schema}.management_link l
      where l.user_id = person_id and l.environment = person_environment
    );
  delete from ${schema}.management_link l where l.user_id = person_id and l.environment = person_environment;
  delete from ${schema}.consumer_link l where l.user_id = person_id and l.environment = person_environment;
  delete from ${schema}.asking a where a.user_id = person_id and a.environment = person_environment;
  update ${schema}.data_request r
  set token_hash = null, link_key_id = null, link_sealed = null, return_url = null, return_state = null
  where r.user_id = person_id and r.environment = person_environment
    and (r.token_hash is not null or r.return_url is not null);
  update ${schema}.consent_grant g set revocation_reason = null
  where g.user_id = person_id and g.environment = person_environment and g.revocation_reason is not null;

  update ${schema}.verification v
  set id_hash = 'erased.' || v.id, id_last4 = '', provider_reference = null, next_action = null,
    idempotency_key = null, fingerprint = null, answer = null, fence = v.fence + 1, due_at = null, leased_until = null,
    status = case when v.due_at is null then v.status else 'ERROR' end,
    failure_reason = case when v.due_at is null then v.failure_reason else 'person_erased' end,
    completed_at = case when v.due_at is null then v.completed_at else erased end,
    event_id = coalesce(v.event_id, (select e.event_id from ${told("verifications")} where e.id = v.id))
  where v.user_id = person_id and v.environment = person_environment;

  update ${schema}.delivery_attempt t set response_body = null
  from ${schema}.delivery d
  where t.delivery_id = d.id and t.response_body is not null and d.event_id in (
    select p.event_id from ${schema}.payment p
    where p.user_id = person_id and p.environment = person_environment
    union all
    select f.event_id from ${schema}.payment p
    join ${schema}.refund f on ${isRefundOf(schema, "f", "p")}
    where p.user_id = person_id and p.environment = person_environment
    union all
    select g.event_id from ${schema}.consent_grant g
    where g.user_id = person_id and g.environment = person_environment
    union all
    select r.event_id from ${schema}.data_request r
    where r.user_id = person_id and r.environment = person_environment
    union all
    select g.end_event_id from ${schema}.consent_grant g
    where g.user_id = person_id and g.environment = person_environment
    union all
    select v.event_id from ${schema}.verification v
    where v.user_id = person_id and v.environment = person_environment
    union all
    select c.id from ${schema}.event c
    where ${isDetailsChange("c")} and c.environment = person_environment
      and ${changedPersonOf("c")} = plan ->> 'service_id'
  );

  -- A verification's event names the user id. Later delivery attempts send the pseudonym.
  update ${schema}.event e set body = ${nameless("e")}
  where e.id in (
    select v.event_id from ${schema}.verification v
    where v.user_id = person_id and v.environment = person_environment
  );
  update ${schema}.platform_outbox o set body = ${nameless("o")}
  where o.environment = person_environment and position('"userId":' || to_json(person_id)::text in o.body) > 0;

  update ${schema}.rights_request q
  set note = null, closed_at = coalesce(q.closed_at, erased),
    status = case when q.status <> 'OPEN' then q.status when q.kind = 'ERASE' then 'DONE' else 'REFUSED' end
  where q.user_id = person_id and q.environment = person_environment;

  -- A random fingerprint reveals nothing about the payload, and no later request with the key matches it. A row
  -- without a valid environment is never executed, but it names the person too.
  update ${schema}.requests r
  set payload = null, person = null, fingerprint = sha256(nonce || decode(md5(r.key), 'hex')), leased_until = null,
    ended_at = coalesce(r.ended_at, erased),
    status = case when r.status = 'PENDING' then 'FAILED' else r.status end,
    error = case when r.status = 'PENDING' then unmade else r.error end
  where r.person = person_id
    and (r.environment = person_environment or coalesce(r.environment, '') not in ('TEST', 'LIVE'));`

/**
 * Erases a person, all or nothing, if the plan still holds, and records the erasure. Fails once the daily limit on
 * erasures is reached, which the tables' owner sets (`owner_bound`). A compromised server can therefore neither exceed
 * that limit nor erase a person without a record. Returns the number of deliveries that the erasure's events created,
 * or null if the plan no longer holds.
 *
 * The person's row stays locked until the commit. The foreign key check of a new record waits for the lock. It then
 * fails, because it no longer finds the user id. Foreign keys carry the pseudonym into the tables that reference the
 * person.
 */
export const erasePersonFunction: SqlFunction = {
  name: "erase_person",
  definition: (schema) => `create or replace function ${schema}.erase_person(plan json) returns bigint
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
declare
  person_environment constant text := plan ->> 'environment';
  person_id constant text := plan ->> 'user_id';
  erased constant timestamptz := (plan ->> 'erased_at')::timestamptz;
  unmade constant jsonb :=
    '{"name": "PersonErased", "message": "The person was erased before the request was done."}';
  nonce constant bytea := uuid_send(gen_random_uuid());
  added record;
  deliveries bigint;
  bound integer;
begin
  -- A caller must not be able to assign one person's records to another person.
  if plan ->> 'pseudonym' not like 'erased%' then
    raise exception 'the pseudonym is not one' using errcode = 'invalid_parameter_value';
  end if;

  -- Erasures take turns here, so each counts all earlier ones.
  select b.value into strict bound from ${schema}.owner_bound b where b.name = 'erasures_a_day' for no key update;
  if (select count(*) from ${schema}.erasure e where e.at > clock_timestamp() - interval '1 day') >= bound then
    raise exception 'the tables'' owner allows % erasures a day', bound using errcode = 'program_limit_exceeded';
  end if;

  ${stands(schema)}

  ${endConsents(schema)}

  ${forget(schema)}

  -- Selects from a table, so that Citus applies the setting on the node whose triggers read it.
  perform set_config('surety.erased_as', plan ->> 'pseudonym', true)
  from ${schema}.owner_bound b where b.name = 'erasures_a_day';
  update ${schema}.consumer c
  set id = plan ->> 'pseudonym', service_id = null, erased_service_id = c.service_id, erased_at = erased,
    external_id = null, display_name = null, country = null, email = null, phone_verified = false,
    kyc_status = null, kyc_tier = null, ask_limits = false, restricted_at = null
  where c.id = person_id and c.environment = person_environment;
  perform set_config('surety.erased_as', '', true) from ${schema}.owner_bound b where b.name = 'erasures_a_day';
  insert into ${schema}.erasure (pseudonym, environment) values (plan ->> 'pseudonym', person_environment);
  return deliveries;
end
$$;
revoke all on function ${schema}.erase_person(json) from public`
}
