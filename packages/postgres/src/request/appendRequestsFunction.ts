import type { SqlFunction } from "../migrations/Migration.js"

/**
 * Implements `RequestStore.append` in one call. Advances an API key's last use only in steps of `step_millis` or more.
 * Keys locked by another transaction are skipped, so calls do not deadlock.
 */
export const appendRequestsFunction: SqlFunction = {
  name: "append_requests",
  definition: (
    schema
  ) => `create or replace function ${schema}.append_requests(entries json, step_millis integer) returns void language plpgsql volatile as $$
begin
  insert into ${schema}.request_entry (
    merchant_id, environment, api_key_id, key_last4, method, route, status, code, request_id, at
  )
  select e.merchant_id, e.environment, e.api_key_id, e.key_last4, e.method, e.route, e.status, e.code, e.request_id, e.at
  from rows from (json_to_recordset(entries) as (
    merchant_id uuid, environment text, api_key_id uuid, key_last4 text, method text, route text, status integer,
    code text, request_id text, at timestamptz
  )) with ordinality as e
  order by e.ordinality;

  with used as materialized (
    select k.id, u.at
    from (
      select e.api_key_id, max(e.at) as at
      from json_to_recordset(entries) as e (api_key_id uuid, at timestamptz)
      group by e.api_key_id
    ) u
    join ${schema}.api_key k on k.id = u.api_key_id
    where k.last_used_at is null or k.last_used_at <= u.at - make_interval(secs => step_millis / 1000.0)
    order by k.id
    for no key update of k skip locked
  )
  update ${schema}.api_key k set last_used_at = used.at from used where k.id = used.id;
end
$$`
}
